package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An encoder and router of a client's rows and keys for one version of a table. It holds the
 * encoded row, key and shard of the row set last. It reuses its buffers; confined to its user's
 * lock.
 */
final class RowBinding {
    /** The value of {@link #shard} for a row that any shard may store. */
    static final int ANY_SHARD = -1;

    private static final byte[] EMPTY = new byte[0];
    private static final int MAX_PARTIAL_BINDINGS = 64; // sets of columns in alternating use

    private final CachedTable table;
    private final RowLayout layout;
    private final RowEncoder encoder;
    private final BinaryRow view;
    private final @Nullable KeyEncoder keyEncoder;
    private final @Nullable RowRouter router;
    private final GrowingBytes keyBuffer = GrowingBytes.forKey();
    private final Map<List<String>, PartialBinding> partials = new HashMap<>();
    private byte[] row = EMPTY;
    private int rowOffset;
    private int rowLength;
    private byte[] key = EMPTY;
    private int keyLength;
    private int shard;

    RowBinding(CachedTable table) {
        TableSchema schema = table.schema();
        this.table = table;
        this.layout = RowLayout.of(schema.columns());
        this.encoder = new RowEncoder(layout);
        this.view = new BinaryRow(layout);
        this.keyEncoder = schema.hasPrimaryKey() ? KeyEncoder.forPrimaryKey(schema) : null;
        this.router = schema.distributionColumns().isEmpty() ? null : RowRouter.of(schema);
    }

    CachedTable table() {
        return table;
    }

    TableSchema schema() {
        return table.schema();
    }

    RowLayout layout() {
        return layout;
    }

    /** Sets a row of Java values. */
    void setRow(@Nullable Object[] values) {
        int length = Rows.encode(encoder, Arrays.asList(values));
        setRow(encoder.array(), 0, length);
    }

    /** Sets an encoded row of this layout, which only the sidecar validates. */
    void setRow(byte[] bytes, int offset, int length) {
        row = bytes;
        rowOffset = offset;
        rowLength = length;
        view.wrap(bytes, offset, length);
        if (keyEncoder == null) {
            key = EMPTY;
            keyLength = 0;
            shard = router == null ? ANY_SHARD : router.shardOfRow(view);
            return;
        }
        keyBuffer.clear();
        keyEncoder.encode(view, keyBuffer);
        key = keyBuffer.array();
        keyLength = keyBuffer.length();
        routeByKey();
    }

    private void setRowBytes(byte[] bytes) {
        setRow(bytes, 0, bytes.length);
    }

    /** Sets a partial row of some columns, including the primary key, one value for each column. */
    void setPartialRow(List<String> columns, @Nullable Object[] values) {
        PartialBinding partial = partials.get(columns);
        if (partial == null) {
            partial = PartialBinding.of(schema(), columns);
            if (partials.size() == MAX_PARTIAL_BINDINGS) {
                partials.clear();
            }
            partials.put(List.copyOf(columns), partial);
        }
        setPartialRow(partial.layout(), partial.encode(values));
    }

    private void setPartialRow(PartialRowLayout partial, byte[] bytes) {
        row = bytes;
        rowOffset = 0;
        rowLength = bytes.length;
        int head = partial.headBytes();
        keyBuffer.clear();
        partial.keys()
                .encode(
                        new BinaryRow(partial.layout()).wrap(bytes, head, bytes.length - head),
                        keyBuffer);
        key = keyBuffer.array();
        keyLength = keyBuffer.length();
        routeByKey();
    }

    /** Sets a primary key of Java values, without a row. */
    void setKey(@Nullable Object[] values) {
        setKey(encodeKey(values));
    }

    private void setKey(byte[] bytes) {
        row = EMPTY;
        rowOffset = 0;
        rowLength = 0;
        key = bytes;
        keyLength = bytes.length;
        routeByKey();
    }

    /** The encoded primary key of Java values, one for each key column. */
    byte[] encodeKey(@Nullable Object[] values) {
        KeyEncoder encoderOfKeys = requireKey();
        int expected = encoderOfKeys.columns().size();
        if (values.length != expected) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected "
                            + expected
                            + " values, one a primary key column of "
                            + schema().qualifiedName()
                            + ", found "
                            + values.length);
        }
        return encoderOfKeys.encodeObjects(Arrays.asList(values));
    }

    /** The shard of an encoded primary key. */
    int shardOfKey(byte[] encodedKey) {
        RowRouter keyRouter = router;
        if (keyRouter == null) {
            throw new IllegalStateException("A table with a primary key has a distribution key");
        }
        return keyRouter.shardOfKey(encodedKey);
    }

    /**
     * Sets an operation that was encoded for an earlier version of the table.
     *
     * @throws SteleException STALE_TABLE if it is another table; or if a row does not fit the new
     *     version
     */
    void setEarlier(
            OperationKind kind,
            RowBinding earlier,
            byte[] bytes,
            int keyOffset,
            int lengthOfKey,
            int offset,
            int length) {
        if (kind.isPartial()) {
            setEarlierPartial(earlier, Arrays.copyOfRange(bytes, offset, offset + length));
        } else if (lengthOfKey > 0 && length == 0) {
            setKey(Arrays.copyOfRange(bytes, keyOffset, keyOffset + lengthOfKey));
        } else if (earlier.schema().columns().equals(schema().columns())) {
            setRow(bytes, offset, length);
        } else {
            setRowBytes(mapped(RowMapping.of(earlier.layout, layout), bytes, offset, length));
        }
    }

    private void setEarlierPartial(RowBinding earlier, byte[] bytes) {
        PartialRowLayout before = PartialRowLayout.read(earlier.schema(), bytes, 0, bytes.length);
        if (earlier.schema().columns().equals(schema().columns())) {
            setPartialRow(before, bytes);
            return;
        }
        List<Integer> kept = new ArrayList<>();
        for (ColumnSchema column : schema().columns()) {
            if (before.layout().columns().stream().anyMatch(old -> old.id() == column.id())) {
                kept.add(column.id());
            }
        }
        PartialRowLayout after = PartialRowLayout.of(schema(), kept);
        byte[] given =
                mapped(
                        RowMapping.of(before.layout(), after.layout()),
                        bytes,
                        before.headBytes(),
                        bytes.length - before.headBytes());
        byte[] partial = new byte[after.headBytes() + given.length];
        System.arraycopy(given, 0, partial, after.writeHead(partial, 0), given.length);
        setPartialRow(after, partial);
    }

    /** Throws STALE_TABLE if this table is another one of the same name. */
    void checkSuccessorOf(RowBinding earlier) {
        TableSchema before = earlier.schema();
        TableSchema after = schema();
        boolean same = before.id().equals(after.id());
        boolean emptied = before.columns().equals(after.columns());
        if (!before.primaryKey().equals(after.primaryKey()) || !(same || emptied)) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Table "
                            + before.qualifiedName()
                            + " was replaced by one with other columns while rows were written to"
                            + " it (id "
                            + before.id()
                            + ", now "
                            + after.id()
                            + "); open a new writer");
        }
    }

    private static byte[] mapped(RowMapping mapping, byte[] bytes, int offset, int length) {
        return mapping.mapper().map(bytes, offset, length);
    }

    private void routeByKey() {
        RowRouter keyRouter = router;
        shard = keyRouter == null ? ANY_SHARD : keyRouter.shardOfKey(key, 0, keyLength);
    }

    private KeyEncoder requireKey() {
        if (keyEncoder == null) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table with a primary key, found "
                            + schema().qualifiedName()
                            + ", which has none");
        }
        return keyEncoder;
    }

    byte[] row() {
        return row;
    }

    int rowOffset() {
        return rowOffset;
    }

    int rowLength() {
        return rowLength;
    }

    byte[] key() {
        return key;
    }

    int keyLength() {
        return keyLength;
    }

    int shard() {
        return shard;
    }
}
