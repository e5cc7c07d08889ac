package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The batches of a writer that came back because the table has changed.
 *
 * <p>All batches in flight were encoded for the same version, so all of them are refused like the
 * first one. Nothing is sent until they are. Then the table is fetched and everything is encoded
 * again in its old order. A refusal is final, so the new batches have new sequences.
 *
 * <p>Guarded by the lock of the writer.
 */
final class StaleBatches {
    private static final int MAX_FETCHES = 3;

    private final List<WriteRequest> refused = new ArrayList<>();
    private boolean collecting;
    private int fetches; // since a batch was accepted

    /** Whether batches come back, so that none may be sent. */
    boolean isCollecting() {
        return collecting;
    }

    void add(WriteRequest request) {
        refused.add(request);
        collecting = true;
    }

    /** A batch was applied: the table is the one it was encoded for. */
    void accepted() {
        fetches = 0;
    }

    /**
     * The table was fetched once more.
     *
     * @throws SteleException if that has not helped for so often that it will not
     */
    void fetched(TableSchema schema) {
        fetches++;
        if (fetches > MAX_FETCHES) {
            fetches = 0;
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "The sidecar refused version "
                            + schema.schemaVersion()
                            + " of table "
                            + schema.qualifiedName()
                            + " (id "
                            + schema.id()
                            + ") "
                            + MAX_FETCHES
                            + " times although it is the one it describes");
        }
    }

    /**
     * Takes the refused batches and those that the batchers have not sent, in the order in which
     * they must arrive.
     */
    List<WriteRequest> takeWith(ShardBatcher[] batchers) {
        List<WriteRequest> all = new ArrayList<>(refused);
        List<WriteRequest> unsent = new ArrayList<>();
        refused.clear();
        for (ShardBatcher batcher : batchers) {
            for (WriteRequest batch : batcher.takeUnsent()) {
                (batch.wasSent() ? all : unsent).add(batch);
            }
        }
        all.sort(Comparator.comparingLong(WriteRequest::sequence));
        all.addAll(unsent);
        return all;
    }

    /** Batches are sent again. */
    void collected() {
        collecting = false;
    }
}
