package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.HiddenColumns;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowColumn;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.sidecar.flight.PutSession.ShardBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A converter of the Arrow batches of one stream to write batches, one for each shard: it encodes
 * rows and keys and finds the shard of each. Confined to one thread.
 *
 * <p>Rows of a table with a primary key go to the shard of their key; other rows go to the
 * requested shard, or to the shard of their distribution key. If any shard will do, batches take
 * the shards in turn, so that a repeated batch goes to the same shard.
 */
final class BatchSplitter {
    private static final byte[] NOTHING = new byte[0];

    private final TableSchema schema;
    private final PutMode mode;
    private final Optional<Integer> shard;
    private final int rowIdColumn;
    private final ArrowRows rows;
    private final RowEncoder encoder;
    private final BinaryRow view;
    private final @Nullable PartialRowLayout partial;
    private final @Nullable KeyEncoder keys;
    private final @Nullable RowRouter router;
    private final GrowingBytes key = GrowingBytes.forKey();
    private final @Nullable WriteBatchBuilder[] builders;

    BatchSplitter(
            TableSchema schema, PutMode mode, Optional<Integer> shard, List<ArrowField> fields) {
        this.schema = requireNonNull(schema, "schema is null");
        this.mode = requireNonNull(mode, "mode is null");
        this.shard = requireNonNull(shard, "shard is null");
        this.rowIdColumn = rowIdColumn(fields);
        checkMode();
        this.partial =
                mode.isPartial() ? PartialRowLayout.of(schema, columnIds(schema, fields)) : null;
        RowLayout layout =
                partial != null
                        ? partial.layout()
                        : RowLayout.of(
                                mode == PutMode.DELETE
                                        ? keyColumnsRequired(schema)
                                        : schema.columns());
        this.rows = new ArrowRows(withoutHidden(fields), layout);
        this.encoder = new RowEncoder(layout);
        this.view = new BinaryRow(layout);
        KeyEncoder ofWholeRows = schema.hasPrimaryKey() ? KeyEncoder.forPrimaryKey(schema) : null;
        this.keys = partial != null ? partial.keys() : ofWholeRows;
        this.router = schema.distributionColumns().isEmpty() ? null : RowRouter.of(schema);
        this.builders = new WriteBatchBuilder[schema.shardCount()];
        shard.ifPresent(schema::shard);
    }

    private void checkMode() {
        if (mode.needsPrimaryKey() && !schema.hasPrimaryKey()) {
            throw wrong("a table with a primary key for mode " + mode, "one without");
        }
        boolean byRowId = !schema.hasPrimaryKey() && mode != PutMode.APPEND;
        if (schema.hasPrimaryKey() && mode == PutMode.APPEND) {
            throw wrong("mode UPSERT or DELETE for a table with a primary key", "mode APPEND");
        }
        if (byRowId && rowIdColumn < 0) {
            throw wrong(
                    "a column "
                            + HiddenColumns.ROW_ID_NAME
                            + " to "
                            + mode
                            + " rows of a table without a primary key",
                    "none");
        }
        if (byRowId && shard.isEmpty()) {
            throw wrong(
                    "the shard of the row ids to "
                            + mode
                            + " rows of a table without a primary key",
                    "none");
        }
    }

    private SteleException wrong(String expected, String found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected " + expected + ", found " + found + ", for " + schema.qualifiedName());
    }

    /** The parts of a batch, by shard; shards without rows have none. */
    List<ShardBatch> split(ArrowBatch batch, long sequence) {
        for (WriteBatchBuilder builder : builders) {
            if (builder != null) {
                builder.reset(schema.id(), schema.schemaVersion());
            }
        }
        int anyShard = Math.floorMod(sequence, schema.shardCount());
        for (int row = 0; row < batch.rowCount(); row++) {
            add(batch, row, anyShard);
        }
        List<ShardBatch> parts = new ArrayList<>();
        for (int index = 0; index < builders.length; index++) {
            WriteBatchBuilder builder = builders[index];
            if (builder != null && !builder.isEmpty()) {
                parts.add(new ShardBatch(index, builder.toByteArray()));
            }
        }
        return parts;
    }

    private void add(ArrowBatch batch, int row, int anyShard) {
        boolean rowNeeded = mode != PutMode.DELETE || keys != null;
        int length = rowNeeded ? rows.encode(batch, row, encoder) : 0;
        if (keys != null) {
            addKeyed(keys, length);
        } else if (mode == PutMode.APPEND) {
            int target =
                    shard.orElseGet(
                            () ->
                                    router == null
                                            ? anyShard
                                            : router.shardOfRow(
                                                    view.wrap(encoder.array(), 0, length)));
            builder(target).add(OperationKind.APPEND, NOTHING, 0, 0, encoder.array(), 0, length);
        } else {
            byte[] rowKey = KeyEncoder.rowIdKey(rowId(batch.column(rowIdColumn), row));
            OperationKind kind =
                    mode == PutMode.DELETE ? OperationKind.DELETE : OperationKind.UPSERT;
            builder(shard.orElseThrow())
                    .add(kind, rowKey, 0, rowKey.length, encoder.array(), 0, length);
        }
    }

    private void addKeyed(KeyEncoder primaryKey, int length) {
        key.clear();
        primaryKey.encode(view.wrap(encoder.array(), 0, length), key);
        int target =
                requireNonNull(router, "a primary key distributes")
                        .shardOfKey(key.array(), 0, key.length());
        byte[] row = encoder.array();
        int rowLength = length;
        if (mode == PutMode.DELETE) {
            row = NOTHING;
            rowLength = 0;
        } else if (partial != null) {
            row = new byte[partial.headBytes() + length];
            System.arraycopy(encoder.array(), 0, row, partial.writeHead(row, 0), length);
            rowLength = row.length;
        }
        builder(target).add(kind(), key.array(), 0, key.length(), row, 0, rowLength);
    }

    private OperationKind kind() {
        return switch (mode) {
            case UPSERT -> OperationKind.UPSERT;
            case DELETE -> OperationKind.DELETE;
            case APPEND -> OperationKind.APPEND;
            case INSERT -> OperationKind.INSERT;
            case INSERT_IF_ABSENT -> OperationKind.INSERT_IF_ABSENT;
            case UPDATE -> OperationKind.UPDATE;
            case UPDATE_OR_INSERT -> OperationKind.UPDATE_OR_INSERT;
        };
    }

    /** The table's columns that a stream has, by id or else by name. */
    private static List<Integer> columnIds(TableSchema schema, List<ArrowField> fields) {
        List<Integer> ids = new ArrayList<>();
        for (ArrowField field : fields) {
            if (field.id() > 0) {
                ids.add(field.id());
            } else if (field.id() == 0 && !isRowId(field)) {
                ids.add(
                        schema.findColumn(field.name())
                                .orElseThrow(
                                        () ->
                                                new SteleException(
                                                        ErrorCode.COLUMN_NOT_FOUND,
                                                        "Expected a column of the table, found Arrow field '"
                                                                + field.name()
                                                                + "'"))
                                .id());
            }
        }
        return ids;
    }

    private static long rowId(ArrowColumn column, int row) {
        if (column.isNull(row)) {
            throw new SteleException(
                    ErrorCode.NULL_KEY,
                    "Expected a value in column "
                            + HiddenColumns.ROW_ID_NAME
                            + ", found null in row "
                            + row);
        }
        return column.longAt(row);
    }

    private WriteBatchBuilder builder(int index) {
        WriteBatchBuilder builder = builders[index];
        if (builder == null) {
            builder = new WriteBatchBuilder(schema.id(), schema.schemaVersion());
            builders[index] = builder;
        }
        return builder;
    }

    private static boolean isRowId(ArrowField field) {
        return field.id() == HiddenColumns.ROW_ID || field.name().equals(HiddenColumns.ROW_ID_NAME);
    }

    private static int rowIdColumn(List<ArrowField> fields) {
        for (int i = 0; i < fields.size(); i++) {
            if (isRowId(fields.get(i))) {
                return i;
            }
        }
        return -1;
    }

    /**
     * The fields at their places, the row id marked as hidden also where the sender named it only
     * by name.
     */
    private static List<ArrowField> withoutHidden(List<ArrowField> fields) {
        return fields.stream()
                .map(
                        field ->
                                isRowId(field)
                                        ? new ArrowField(
                                                HiddenColumns.ROW_ID,
                                                field.name(),
                                                field.arrowType(),
                                                field.nullable())
                                        : field)
                .toList();
    }

    /**
     * The columns, all nullable but those of the key, because a row of a deletion has values of the
     * key only.
     */
    private static List<ColumnSchema> keyColumnsRequired(TableSchema schema) {
        return schema.columns().stream()
                .map(
                        column ->
                                schema.primaryKey().contains(column.id())
                                        ? column
                                        : new ColumnSchema(
                                                column.id(),
                                                column.name(),
                                                column.type(),
                                                true,
                                                column.comment()))
                .toList();
    }
}
