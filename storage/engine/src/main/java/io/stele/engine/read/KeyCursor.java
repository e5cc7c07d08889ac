package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.scan.RowCursor;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.predicate.RowMatcher;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A row cursor that looks up listed primary keys at a snapshot, some keys at a time, instead of
 * scanning. Confined to one thread at a time.
 *
 * <p>Invariant: holds the rows of {@link PointReads.Batch#keysARead} keys at most.
 */
final class KeyCursor implements RowCursor {
    /** A few microseconds each, well below the time that a step may take. */
    private static final int KEYS_A_STEP = 8;

    private final PointReads.Batch batch;
    private final Runnable checkLease;
    private final RowMatcher matcher;
    private final BinaryRow row;
    private final Deque<Found> found = new ArrayDeque<>();
    private boolean done;
    private @Nullable Found current;

    /**
     * @param checkLease throws if the history of the snapshot may be gone
     * @param predicate other rows are left out
     */
    KeyCursor(PointReads.Batch batch, Runnable checkLease, ScanPredicate predicate) {
        this.batch = requireNonNull(batch, "batch is null");
        this.checkLease = requireNonNull(checkLease, "checkLease is null");
        RowLayout layout = RowLayout.of(batch.schema().columns());
        this.matcher = predicate.matcher(layout);
        this.row = new BinaryRow(layout);
    }

    @Override
    public Step step() throws IOException {
        Found next = found.poll();
        if (next == null) {
            return look();
        }
        current = next;
        return matcher.matches(row.wrap(next.bytes)) ? Step.ROW : Step.NONE;
    }

    private Step look() throws IOException {
        if (done) {
            current = null;
            return Step.END;
        }
        int keys = NonBlocking.isActive() ? KEYS_A_STEP : batch.keysARead();
        done = batch.advance(keys, (index, bytes, lsn) -> found.add(new Found(bytes, lsn)));
        checkLease.run(); // afterwards: history that was dropped meanwhile may have been missed
        return Step.NONE;
    }

    @Override
    public TableSchema schema() {
        return batch.schema();
    }

    @Override
    public BinaryRow row() {
        return row;
    }

    @Override
    public long lsn() {
        return requireNonNull(current, "no row").lsn;
    }

    @Override
    public long rowId() {
        return -1; // only tables with a primary key have keys
    }

    @Override
    public void close() {
        // Nothing is held but memory.
    }

    private record Found(byte[] bytes, long lsn) {}
}
