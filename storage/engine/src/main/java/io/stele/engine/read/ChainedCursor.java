package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.scan.RowCursor;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A row cursor over the cursors of several shards, one after the other, each opened when the one
 * before it has ended. Confined to one thread at a time.
 */
final class ChainedCursor implements RowCursor {
    private final Deque<NonBlocking.Read<RowCursor>> openers;
    private RowCursor cursor;

    /** Opens the first cursor; all cursors have rows of one schema version. */
    ChainedCursor(List<NonBlocking.Read<RowCursor>> openers) throws IOException {
        this.openers = new ArrayDeque<>(openers);
        this.cursor = this.openers.element().read();
        this.openers.remove();
    }

    @Override
    public Step step() throws IOException {
        Step step = cursor.step();
        if (step != Step.END || openers.isEmpty()) {
            return step;
        }
        RowCursor next = openers.element().read(); // repeated if it must not wait
        openers.remove();
        RowCursor ended = cursor;
        cursor = requireNonNull(next, "next is null");
        ended.close();
        return Step.NONE;
    }

    @Override
    public TableSchema schema() {
        return cursor.schema();
    }

    @Override
    public BinaryRow row() {
        return cursor.row();
    }

    @Override
    public long lsn() {
        return cursor.lsn();
    }

    @Override
    public long rowId() {
        return cursor.rowId();
    }

    @Override
    public void close() throws IOException {
        cursor.close();
    }
}
