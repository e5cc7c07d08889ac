package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import io.stele.flink.table.RowValues;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of the encoded rows of a subtask since the last checkpoint. For a primary key, it has
 * only the last change. So a transaction has each key once, and its rows need no order. Confined to
 * one thread.
 */
final class PendingRows {
    /** Approximate memory of a map entry, beside its bytes. */
    private static final int ENTRY_BYTES = 128;

    private final SinkTarget target;
    private final TableSchema schema;
    private final boolean keyed;
    private final Map<PutMode, Encoding> encodings = new EnumMap<>(PutMode.class);
    private final RowValues key;
    private final @Nullable KeyEncoder keyEncoder;
    private final Map<ByteBuffer, Pending> byKey = new HashMap<>();
    private final List<Pending> appended = new ArrayList<>();
    private long sizeBytes;

    /** A row and its effect. */
    private record Pending(PutMode mode, byte[] row) {
        long sizeBytes() {
            return (long) ENTRY_BYTES + row.length;
        }
    }

    PendingRows(SinkTarget target) {
        this.target = target;
        this.schema = target.table().schema();
        this.keyed = schema.hasPrimaryKey();
        this.key = RowValues.key(target.table(), schema);
        this.keyEncoder = keyed ? KeyEncoder.forPrimaryKey(schema) : null;
        RowValues whole = RowValues.whole(target.table(), schema, target.fields());
        if (!keyed) {
            encodings.put(PutMode.APPEND, new Encoding(whole));
            return;
        }
        encodings.put(PutMode.UPSERT, new Encoding(whole));
        encodings.put(PutMode.DELETE, new Encoding(RowValues.key(target.table(), schema)));
        if (!target.whole()) {
            encodings.put(
                    PutMode.UPDATE_OR_INSERT,
                    new Encoding(RowValues.of(target.table(), schema, target.fields())));
        }
    }

    /** An encoder for rows of certain columns. */
    private static final class Encoding {
        private final RowValues values;
        private final RowEncoder encoder;

        Encoding(RowValues values) {
            this.values = values;
            this.encoder = new RowEncoder(RowLayout.of(values.columns()));
        }

        byte[] encode(RowData row) {
            int length = Rows.encode(encoder, Arrays.asList(values.of(row)));
            return Arrays.copyOf(encoder.array(), length);
        }

        List<Integer> columnIds() {
            return values.columns().stream().map(ColumnSchema::id).toList();
        }
    }

    /**
     * Adds a change.
     *
     * @throws IOException the table has no primary key and cannot take the change
     */
    void add(RowData row) throws IOException {
        if (!keyed) {
            if (row.getRowKind() != org.apache.flink.types.RowKind.INSERT) {
                throw Changes.refused(target, row);
            }
            Pending added = encode(PutMode.APPEND, row);
            appended.add(added);
            sizeBytes += added.sizeBytes();
            return;
        }
        switch (row.getRowKind()) {
            case INSERT, UPDATE_AFTER -> put(row);
            case UPDATE_BEFORE -> {} // the next row replaces it
            case DELETE -> replace(key(row), encode(PutMode.DELETE, row));
        }
    }

    private void put(RowData row) {
        ByteBuffer keyOfRow = key(row);
        if (target.whole()) {
            replace(keyOfRow, encode(PutMode.UPSERT, row));
            return;
        }
        Pending earlier = byKey.get(keyOfRow);
        boolean isNew = earlier != null && earlier.mode() != PutMode.UPDATE_OR_INSERT;
        // After a deletion, the other columns are null: the earlier values must not return
        replace(keyOfRow, encode(isNew ? PutMode.UPSERT : PutMode.UPDATE_OR_INSERT, row));
    }

    private ByteBuffer key(RowData row) {
        KeyEncoder encoder = requireNonNull(keyEncoder, "the table has a primary key");
        return ByteBuffer.wrap(encoder.encodeObjects(Arrays.asList(key.of(row))));
    }

    private Pending encode(PutMode mode, RowData row) {
        return new Pending(mode, encoding(mode).encode(row));
    }

    private Encoding encoding(PutMode mode) {
        return requireNonNull(encodings.get(mode), "the table takes such changes");
    }

    private void replace(ByteBuffer keyOfRow, Pending now) {
        Pending before = byKey.put(keyOfRow, now);
        sizeBytes += now.sizeBytes();
        sizeBytes += before == null ? keyOfRow.capacity() : -before.sizeBytes();
    }

    /** Approximate memory of the rows, in bytes. */
    long sizeBytes() {
        return sizeBytes;
    }

    /** Removes all rows, in parts of about this size. */
    List<List<RowGroup>> take(long partBytes) {
        List<List<RowGroup>> parts = new ArrayList<>();
        Part part = new Part();
        Collection<Pending> all = keyed ? byKey.values() : appended;
        for (Pending pending : all) {
            if (part.bytes > 0 && part.bytes + pending.row().length > partBytes) {
                parts.add(part.groups());
                part = new Part();
            }
            part.add(pending);
        }
        if (part.bytes > 0) {
            parts.add(part.groups());
        }
        byKey.clear();
        appended.clear();
        sizeBytes = 0;
        return parts;
    }

    private final class Part {
        private final Map<PutMode, List<byte[]>> rows = new EnumMap<>(PutMode.class);
        private long bytes;

        void add(Pending pending) {
            rows.computeIfAbsent(pending.mode(), mode -> new ArrayList<>()).add(pending.row());
            bytes += Integer.BYTES + pending.row().length;
        }

        List<RowGroup> groups() {
            List<RowGroup> groups = new ArrayList<>();
            rows.forEach(
                    (mode, encoded) ->
                            groups.add(
                                    new RowGroup(
                                            mode,
                                            encoding(mode).columnIds(),
                                            encoded.size(),
                                            joined(encoded))));
            return groups;
        }

        private static byte[] joined(List<byte[]> encoded) {
            int size = encoded.stream().mapToInt(row -> Integer.BYTES + row.length).sum();
            ByteBuffer target = ByteBuffer.allocate(size);
            for (byte[] row : encoded) {
                target.putInt(row.length).put(row);
            }
            return target.array();
        }
    }
}
