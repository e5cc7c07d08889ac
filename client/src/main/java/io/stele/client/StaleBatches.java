package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The batches of a writer that sidecars refused because the table has changed, collected to be
 * encoded and sent again.
 *
 * <p>All batches in flight were encoded for one version of the table, so all of them are refused
 * after the first refusal. Nothing is sent until all were refused. Then the table is fetched, and
 * all rows are encoded again in their old order. A refusal is final, so the new batches have new
 * sequences.
 *
 * <p>Guarded by the lock of the writer.
 */
final class StaleBatches {
    private static final int MAX_FETCHES = 3;

    private final List<WriteRequest> refused = new ArrayList<>();
    private boolean collecting;
    private int fetches; // since a batch was accepted

    /** Whether refused batches are being collected, so that no batch may be sent. */
    boolean isCollecting() {
        return collecting;
    }

    void add(WriteRequest request) {
        refused.add(request);
        collecting = true;
    }

    /**
     * Called when a batch was applied, so that the writer's version of the table is the present
     * one.
     */
    void accepted() {
        fetches = 0;
    }

    /**
     * Counts a fetch of the table.
     *
     * @throws SteleException after too many fetches without an accepted batch
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
     * Removes and returns the refused batches and the unsent batches of the batchers, in the order
     * in which they must arrive.
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

    /** Called when batches may be sent again. */
    void collected() {
        collecting = false;
    }
}
