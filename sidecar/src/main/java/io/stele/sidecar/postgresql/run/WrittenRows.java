package io.stele.sidecar.postgresql.run;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A key cursor over the rows, in memory, that a transaction has written. Confined to one thread.
 */
final class WrittenRows extends KeyCursor {
    private final Iterator<Map.Entry<byte[], byte[]>> rows;
    private Map.@Nullable Entry<byte[], byte[]> at;

    /**
     * @param rows by key, in the order of keys
     */
    WrittenRows(Map<byte[], byte[]> rows) {
        this.rows = rows.entrySet().iterator();
    }

    @Override
    boolean isAtRow() {
        if (at == null && rows.hasNext()) {
            at = rows.next();
        }
        return at != null;
    }

    @Override
    byte[] row() {
        return entry().getValue();
    }

    @Override
    byte[] key() {
        return entry().getKey();
    }

    private Map.Entry<byte[], byte[]> entry() {
        Map.Entry<byte[], byte[]> present = at;
        if (present == null) {
            throw new IllegalStateException("There is no row here");
        }
        return present;
    }

    @Override
    void consume() {
        at = null;
    }
}
