package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.write.WriteOutcome;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.metrics.IngestMetrics;
import io.stele.sidecar.postgresql.plan.Access;
import io.stele.sidecar.postgresql.plan.FixedPlan.ColumnValue;
import io.stele.sidecar.postgresql.plan.FixedPlan.InsertPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.UpdatePlan;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.wire.PostgresException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The execution of statements that fit into one batch of one shard, by one append to the log,
 * without a transaction. The shard decides conditions as it applies the batch. Thread-safe.
 */
final class DirectWrites {
    private static final int MAX_BATCH_BYTES = 16 << 20;

    private final EngineService engine;
    private final IngestMetrics metrics;
    private final LongSupplier nanoTime;

    DirectWrites(EngineService engine, IngestMetrics metrics, LongSupplier nanoTime) {
        this.engine = requireNonNull(engine, "engine is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    /** A batch that has its operations from one statement. */
    private static final class Batch {
        private final RowBuilder rows;
        private final WriteBatchBuilder builder;
        private int shard = -1;

        private Batch(RowBuilder rows) {
            this.rows = rows;
            this.builder = new WriteBatchBuilder(rows.table().id(), rows.table().schemaVersion());
        }

        /** False if the operation belongs to another shard, or there are too many. */
        private boolean add(OperationKind kind, byte[] key, byte[] row, int ofShard) {
            if ((shard >= 0 && shard != ofShard)
                    || (long) builder.sizeBytes() + key.length + row.length > MAX_BATCH_BYTES) {
                return false;
            }
            shard = ofShard;
            builder.add(kind, key, 0, key.length, row, 0, row.length);
            return true;
        }
    }

    /**
     * Inserts rows if they are one batch.
     *
     * @param rows encoded, in the order of the statement
     */
    Optional<Changes> tryInsert(InsertPlan plan, RowBuilder builder, List<byte[]> rows, Scope scope)
            throws IOException {
        boolean returnsRows = !plan.results().isEmpty();
        TableSchema table = plan.table();
        OperationKind kind =
                switch (plan.onConflict()) {
                    case FAIL ->
                            table.hasPrimaryKey() ? OperationKind.INSERT : OperationKind.APPEND;
                    case SKIP -> returnsRows ? null : OperationKind.INSERT_IF_ABSENT;
                    case REPLACE -> OperationKind.UPSERT;
                    case MERGE -> returnsRows ? null : OperationKind.UPDATE_OR_INSERT;
                    case UPDATE -> null;
                };
        if (kind == null || rows.isEmpty()) {
            return Optional.empty();
        }
        Batch batch = new Batch(builder);
        for (byte[] row : rows) {
            BinaryRow view = builder.view(row);
            byte[] key = builder.keyOf(view);
            byte[] written =
                    kind == OperationKind.UPDATE_OR_INSERT ? partial(plan, builder, view) : row;
            int shard =
                    batch.shard >= 0 && table.distributionColumns().isEmpty()
                            ? batch.shard
                            : builder.shardOf(view);
            if (!batch.add(kind, key, written, shard)) {
                return Optional.empty();
            }
        }
        PlanRows returned = ReturnedRows.of(plan, builder, returnsRows ? rows : List.of(), scope);
        return Optional.of(new Changes(rows.size() - apply(batch), returned));
    }

    private static byte[] partial(InsertPlan plan, RowBuilder builder, BinaryRow row) {
        PartialRowLayout layout = builder.partialLayout(plan.given());
        List<@Nullable Object> values = new ArrayList<>();
        for (int column : plan.given()) {
            values.add(Rows.objectAt(row, column));
        }
        return builder.partialRow(layout, values);
    }

    /** Updates rows by key if that needs nothing of the old rows, and is one batch. */
    Optional<Changes> tryUpdate(UpdatePlan plan, RowBuilder builder, List<byte[]> keys, Scope scope)
            throws IOException {
        boolean isDirect =
                plan.results().isEmpty()
                        && plan.rows().residual().isEmpty()
                        && !(plan.rows().access() instanceof Access.ByRange)
                        && plan.assignments().stream()
                                .allMatch(assignment -> assignment.value().isConstant());
        if (!isDirect || keys.isEmpty()) {
            return Optional.empty();
        }
        TableSchema table = plan.table();
        List<Integer> columns = new ArrayList<>();
        table.primaryKey().forEach(columnId -> columns.add(table.indexOf(columnId)));
        plan.assignments().forEach(assignment -> columns.add(assignment.column()));
        PartialRowLayout layout = builder.partialLayout(columns);
        Batch batch = new Batch(builder);
        for (byte[] key : keys) {
            byte[] row = builder.partialRow(layout, values(plan, builder, layout, key, scope));
            if (!batch.add(OperationKind.UPDATE, key, row, builder.shardOfKey(key))) {
                return Optional.empty();
            }
        }
        return Optional.of(
                new Changes(
                        keys.size() - apply(batch),
                        ReturnedRows.of(plan, builder, List.of(), scope)));
    }

    private static List<@Nullable Object> values(
            UpdatePlan plan, RowBuilder builder, PartialRowLayout layout, byte[] key, Scope scope) {
        TableSchema table = plan.table();
        List<@Nullable Object> keyValues = KeyEncoder.forPrimaryKey(table).decode(key);
        List<@Nullable Object> values = new ArrayList<>();
        for (ColumnSchema column : layout.layout().columns()) {
            int inKey = table.primaryKey().indexOf(column.id());
            if (inKey >= 0) {
                values.add(keyValues.get(inKey));
                continue;
            }
            ColumnValue assignment =
                    plan.assignments().stream()
                            .filter(
                                    found ->
                                            table.columns().get(found.column()).id() == column.id())
                            .findFirst()
                            .orElseThrow();
            values.add(builder.columnValue(assignment.column(), assignment.value(), scope));
        }
        return values;
    }

    /** Returns how many operations had no effect. */
    private long apply(Batch batch) {
        TableSchema table = batch.rows.table();
        byte[] bytes = batch.builder.toByteArray();
        int count = batch.builder.operationCount();
        long start = nanoTime.getAsLong();
        try {
            WriteOutcome outcome =
                    BusyRetry.call(
                            nanoTime,
                            () ->
                                    Cancellation.outcome(
                                            engine.engine()
                                                    .apply(
                                                            table.shard(batch.shard),
                                                            WireLimits.ANONYMOUS_WRITER,
                                                            0,
                                                            bytes,
                                                            0,
                                                            bytes.length)));
            metrics.acknowledged(count, bytes.length, nanoTime.getAsLong() - start);
            return outcome.skipped();
        } catch (SteleException failed) {
            metrics.failed();
            throw stated(failed, table);
        }
    }

    /**
     * After some failures only the log has the outcome: the error must not read as "nothing was
     * done".
     */
    private static RuntimeException stated(SteleException failed, TableSchema table) {
        return switch (failed.code()) {
            case STALE_TABLE -> new StalePlanException(table.qualifiedName());
            case STORE_FAILED, INTERNAL, UNAVAILABLE ->
                    new SteleException(
                            ErrorCode.OUTCOME_UNKNOWN,
                            "The write may have been done or not; read its rows to know: "
                                    + failed.getMessage(),
                            failed);
            default -> PostgresException.of(failed);
        };
    }
}
