package io.stele.flink;

import io.stele.flink.option.DeliveryGuarantee;
import io.stele.flink.option.SinkOptions;
import io.stele.flink.option.SteleOptions;
import io.stele.flink.sink.AtLeastOnceSink;
import io.stele.flink.sink.ExactlyOnceSink;
import io.stele.flink.sink.OverwriteSink;
import io.stele.flink.sink.Partition;
import io.stele.flink.sink.SinkTarget;
import io.stele.flink.sink.SteleSink;
import io.stele.flink.sink.WholeDeletions;
import io.stele.flink.source.ScanFilters;
import io.stele.flink.table.BoundTable;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.RowLevelModificationScanContext;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.sink.abilities.SupportsDeletePushDown;
import org.apache.flink.table.connector.sink.abilities.SupportsOverwrite;
import org.apache.flink.table.connector.sink.abilities.SupportsPartitioning;
import org.apache.flink.table.connector.sink.abilities.SupportsRowLevelDelete;
import org.apache.flink.table.connector.sink.abilities.SupportsRowLevelUpdate;
import org.apache.flink.table.connector.sink.abilities.SupportsTargetColumnWriting;
import org.apache.flink.table.connector.sink.abilities.SupportsTruncate;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * The sink of a table in a statement. It chooses the {@link SteleSink} that the job runs: inserts,
 * changes by key, or an overwrite. Truncation and deletion of whole partitions run here, as
 * requests to a sidecar. Blocks the planner's thread meanwhile.
 */
final class SteleTableSink
        implements DynamicTableSink,
                SupportsPartitioning,
                SupportsTargetColumnWriting,
                SupportsOverwrite,
                SupportsTruncate,
                SupportsDeletePushDown,
                SupportsRowLevelDelete,
                SupportsRowLevelUpdate {
    private final BoundTable table;
    private final List<Column> columns;
    private final SinkOptions options;
    private final Optional<DeliveryGuarantee> wanted;
    private final boolean checkpoints;
    private final Optional<Integer> parallelism;
    private int @Nullable [] targetFields;
    private boolean overwrites;
    private Map<String, String> partitionClause = Map.of();
    private ScanPredicate deletedPartitions = ScanPredicate.ALL;

    /**
     * The columns that a DELETE or UPDATE of single rows needs; empty: the statement is another
     * one.
     */
    private List<Column> rowLevelColumns = List.of();

    /**
     * A sink of a table.
     *
     * @param columns the declared physical columns
     */
    SteleTableSink(
            BoundTable table,
            List<Column> columns,
            SinkOptions options,
            Optional<DeliveryGuarantee> wanted,
            boolean checkpoints,
            Optional<Integer> parallelism) {
        this.table = table;
        this.columns = List.copyOf(columns);
        this.options = options;
        this.wanted = wanted;
        this.checkpoints = checkpoints;
        this.parallelism = parallelism;
    }

    /**
     * The kinds of changes that the table takes. With a primary key, it needs no rows before an
     * update; without one, it takes inserts only.
     */
    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requested) {
        if (!table.schema().hasPrimaryKey()) {
            return ChangelogMode.insertOnly();
        }
        return ChangelogMode.newBuilder()
                .addContainedKind(RowKind.INSERT)
                .addContainedKind(RowKind.UPDATE_AFTER)
                .addContainedKind(RowKind.DELETE)
                .build();
    }

    /** Accepts whole columns only, not fields of row columns. */
    @Override
    public boolean applyTargetColumns(int[][] targetColumns) {
        if (Arrays.stream(targetColumns).anyMatch(path -> path.length != 1)) {
            return false;
        }
        targetFields = Arrays.stream(targetColumns).mapToInt(path -> path[0]).toArray();
        return true;
    }

    /** Sets the partition that the statement names; its rows have these values. */
    @Override
    public void applyStaticPartition(Map<String, String> partition) {
        partitionClause = Collections.unmodifiableMap(new LinkedHashMap<>(partition));
    }

    @Override
    public void applyOverwrite(boolean overwrite) {
        overwrites = overwrite;
    }

    @Override
    public void executeTruncation() {
        WholeDeletions.truncate(table);
    }

    /**
     * Accepts filters that select all rows or whole partitions, which are deleted without being
     * read.
     */
    @Override
    public boolean applyDeleteFilters(List<ResolvedExpression> filters) {
        ScanFilters taken = ScanFilters.of(table, filters);
        Map<Integer, ?> domains = taken.predicate().domains();
        // Two filters on one column may leave a domain that contains rows that do not meet both
        boolean isExact = taken.used().size() == filters.size() && domains.size() == filters.size();
        if (!isExact || !table.schema().partitionedBy().containsAll(domains.keySet())) {
            return false;
        }
        deletedPartitions = taken.predicate();
        return true;
    }

    @Override
    public Optional<Long> executeDeletion() {
        WholeDeletions.deletePartitions(table, deletedPartitions);
        return Optional.empty(); // unknown: the rows are not read
    }

    @Override
    public RowLevelDeleteInfo applyRowLevelDelete(@Nullable RowLevelModificationScanContext scan) {
        List<Column> needed = rowLevel("DELETE of single rows", List.of());
        return new RowLevelDeleteInfo() {
            @Override
            public Optional<List<Column>> requiredColumns() {
                return Optional.of(needed);
            }
        };
    }

    @Override
    public RowLevelUpdateInfo applyRowLevelUpdate(
            List<Column> updated, @Nullable RowLevelModificationScanContext scan) {
        List<Column> needed = rowLevel("UPDATE", updated);
        return new RowLevelUpdateInfo() {
            @Override
            public Optional<List<Column>> requiredColumns() {
                return Optional.of(needed);
            }
        };
    }

    /** The primary key and the changed columns, as declared. */
    private List<Column> rowLevel(String statement, List<Column> changed) {
        TableSchema schema = table.schema();
        if (!schema.hasPrimaryKey()) {
            throw new ValidationException(
                    "Expected a table with a primary key for %s, found table %s without one. Rows of all of it, and of whole partitions, can be deleted"
                            .formatted(statement, table));
        }
        List<Column> needed = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            boolean isKey = schema.primaryKey().contains(table.columnIds().get(i));
            boolean isChanged =
                    changed.stream().anyMatch(each -> each.getName().equals(column.getName()));
            if (isKey && isChanged) {
                throw new ValidationException(
                        "Expected no primary key column in the SET clause of an UPDATE of table %s, found '%s'"
                                .formatted(table, column.getName()));
            }
            if (isKey || isChanged) {
                needed.add(column);
            }
        }
        rowLevelColumns = List.copyOf(needed);
        return rowLevelColumns;
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        if (overwrites) {
            return overwrite(context);
        }
        SteleSink sink = rowLevelColumns.isEmpty() ? inserting(context) : rowLevelSink();
        return parallelism
                .map(count -> SinkV2Provider.of(sink, count))
                .orElseGet(() -> SinkV2Provider.of(sink));
    }

    private SteleSink inserting(Context context) {
        SinkTarget target = SinkTarget.of(table, options, writtenFields());
        return guarantee(context.isBounded()) == DeliveryGuarantee.EXACTLY_ONCE
                ? new ExactlyOnceSink(target)
                : new AtLeastOnceSink(target);
    }

    /** The columns that a statement names, including those of its PARTITION clause. */
    private int[] writtenFields() {
        if (targetFields == null) {
            return IntStream.range(0, table.declared().getFieldCount()).toArray();
        }
        IntStream named =
                partitionClause.keySet().stream()
                        .mapToInt(name -> table.declared().getFieldIndex(name));
        return IntStream.concat(Arrays.stream(targetFields), named).distinct().sorted().toArray();
    }

    /**
     * A sink of changes to existing rows. At-least-once is enough: a repeated change has no further
     * effect.
     */
    private SteleSink rowLevelSink() {
        int[] fields =
                rowLevelColumns.stream()
                        .mapToInt(column -> table.declared().getFieldIndex(column.getName()))
                        .toArray();
        List<RowType.RowField> declared = table.declared().getFields();
        RowType projected =
                new RowType(false, Arrays.stream(fields).mapToObj(declared::get).toList());
        return new AtLeastOnceSink(
                SinkTarget.ofPresentRows(table.project(projected, fields), options));
    }

    private SinkRuntimeProvider overwrite(Context context) {
        if (!context.isBounded()) {
            throw new ValidationException(
                    "Expected a bounded query ('execution.runtime-mode' = 'batch') for INSERT OVERWRITE of table %s, found a streaming one"
                            .formatted(table));
        }
        SinkTarget target = SinkTarget.of(table, options, writtenFields());
        Optional<Partition> named = Partition.named(table, columns, partitionClause);
        OverwriteSink sink =
                table.schema().partitionedBy().isEmpty()
                        ? OverwriteSink.ofTable(target)
                        : OverwriteSink.ofPartitions(target, named);
        return SinkV2Provider.of(sink, 1);
    }

    private DeliveryGuarantee guarantee(boolean isBounded) {
        if (wanted.filter(DeliveryGuarantee.EXACTLY_ONCE::equals).isPresent()
                && !checkpoints
                && !isBounded) {
            throw new ValidationException(
                    "Expected checkpoints ('execution.checkpointing.interval') for '%s' = 'exactly-once' in a streaming job, found none"
                            .formatted(SteleOptions.SINK_DELIVERY_GUARANTEE.key()));
        }
        return wanted.orElse(
                checkpoints && !isBounded
                        ? DeliveryGuarantee.EXACTLY_ONCE
                        : DeliveryGuarantee.AT_LEAST_ONCE);
    }

    @Override
    public DynamicTableSink copy() {
        SteleTableSink copy =
                new SteleTableSink(table, columns, options, wanted, checkpoints, parallelism);
        copy.targetFields = targetFields;
        copy.overwrites = overwrites;
        copy.partitionClause = partitionClause;
        copy.deletedPartitions = deletedPartitions;
        copy.rowLevelColumns = rowLevelColumns;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Stele table " + table;
    }
}
