package io.stele.paimon.plan;

import static io.trino.spi.type.BigintType.BIGINT;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.type.PartitionFilter;
import io.trino.spi.predicate.NullableValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.stats.SimpleStatsEvolution;
import org.apache.paimon.stats.SimpleStatsEvolutions;
import org.apache.paimon.table.AppendOnlyFileStoreTable;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;
import org.jspecify.annotations.Nullable;

/**
 * The computation of {@code count}, {@code min} and {@code max} of all rows of a scan from the
 * metadata of its files, where that is exact. Thread-safe; waits for the store where the image is
 * not in memory.
 *
 * <p>Rows are counted where no rows of several files must be merged. Bounds are exact for integers,
 * dates and decimals in files of which no row is deleted; texts are cut and moments rounded.
 */
public final class ExactAggregates {
    /** A function of the rows of a scan. */
    public enum Function {
        COUNT,
        MIN,
        MAX
    }

    /**
     * @param column empty: rows are counted
     */
    public record Call(Function function, Optional<PaimonColumnHandle> column) {
        public Call {
            requireNonNull(function, "function is null");
            requireNonNull(column, "column is null");
        }
    }

    private final LakeTables tables;
    private final ScanFiles files;
    private final TableSchemas schemas;

    @Inject
    public ExactAggregates(LakeTables tables, ScanFiles files, TableSchemas schemas) {
        this.tables = requireNonNull(tables, "tables is null");
        this.files = requireNonNull(files, "files is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
    }

    /**
     * The results of the calls; empty: the metadata does not have all of them.
     *
     * @param handle of a scan without a limit and without conditions that are not enforced
     */
    public Optional<List<NullableValue>> find(PaimonTableHandle handle, List<Call> calls) {
        FileStoreTable table = tables.table(handle);
        boolean isAppend = table instanceof AppendOnlyFileStoreTable;
        boolean countsOnly = calls.stream().allMatch(call -> call.column().isEmpty());
        boolean isPossible =
                !table.coreOptions().dataEvolutionEnabled()
                        && (isAppend || table.coreOptions().deletionVectorsEnabled() && countsOnly);
        if (!isPossible) {
            return Optional.empty();
        }
        List<Aggregate> aggregates = new ArrayList<>();
        for (Call call : calls) {
            Optional<Aggregate> aggregate = aggregate(table, call);
            if (aggregate.isEmpty()) {
                return Optional.empty();
            }
            aggregates.add(aggregate.get());
        }
        if (handle.snapshotId().isPresent() && !addAll(handle, table, aggregates)) {
            return Optional.empty();
        }
        return Optional.of(aggregates.stream().map(Aggregate::result).toList());
    }

    private boolean addAll(
            PaimonTableHandle handle, FileStoreTable table, List<Aggregate> aggregates) {
        PartitionFilter partitions =
                new PartitionFilter(handle.enforced(), table.schema().logicalPartitionType());
        SimpleStatsEvolutions evolutions =
                new SimpleStatsEvolutions(
                        id -> schemas.schema(table, id).fields(), table.schema().id());
        for (DataSplit split : files.find(handle, table, handle.enforced())) {
            if (!partitions.test(split.partition())) {
                continue;
            }
            OptionalLong rows = split.mergedRowCount();
            if (rows.isEmpty()) {
                return false;
            }
            for (Aggregate aggregate : aggregates) {
                boolean isKnown =
                        aggregate.column.isEmpty()
                                ? aggregate.add(rows.getAsLong())
                                : addFiles(table, split, evolutions, aggregate);
                if (!isKnown) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean addFiles(
            FileStoreTable table,
            DataSplit split,
            SimpleStatsEvolutions evolutions,
            Aggregate aggregate) {
        for (int i = 0; i < split.dataFiles().size(); i++) {
            DataFileMeta file = split.dataFiles().get(i);
            boolean hasDeletions =
                    split.deletionFiles().isPresent() && split.deletionFiles().get().get(i) != null;
            if (hasDeletions
                    || !hasSameType(table, file.schemaId(), aggregate.field())
                    || !aggregate.add(file, evolutions.getOrCreate(file.schemaId()))) {
                return false;
            }
        }
        return true;
    }

    /** Whether a file lacks a column, or has it by the type of the scan. */
    private boolean hasSameType(FileStoreTable table, long schemaId, DataField field) {
        return schemas.schema(table, schemaId).fields().stream()
                .filter(written -> written.id() == field.id())
                .allMatch(written -> written.type().equalsIgnoreNullable(field.type()));
    }

    private static Optional<Aggregate> aggregate(FileStoreTable table, Call call) {
        if (call.column().isEmpty()) {
            return Optional.of(new Aggregate(call, -1, Optional.empty()));
        }
        List<DataField> fields = table.rowType().getFields();
        for (int i = 0; i < fields.size(); i++) {
            DataField field = fields.get(i);
            if (field.id() == call.column().get().id()) {
                return call.function() == Function.COUNT || hasExactBounds(field.type())
                        ? Optional.of(new Aggregate(call, i, Optional.of(field)))
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static boolean hasExactBounds(DataType type) {
        return switch (type.getTypeRoot()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE -> true;
            case DECIMAL -> Decimal.isCompact(((DecimalType) type).getPrecision());
            default -> false;
        };
    }

    /** The state of one call. */
    private static final class Aggregate {
        private final Call call;
        private final int index;
        private final Optional<DataField> column;
        private long count;
        private @Nullable Long bound;

        Aggregate(Call call, int index, Optional<DataField> column) {
            this.call = call;
            this.index = index;
            this.column = column;
        }

        DataField field() {
            return column.orElseThrow();
        }

        boolean add(long rows) {
            count += rows;
            return true;
        }

        /** Adds a file; false: its statistics do not say enough. */
        boolean add(DataFileMeta file, SimpleStatsEvolution evolution) {
            SimpleStatsEvolution.Result stats =
                    evolution.evolution(file.valueStats(), file.rowCount(), file.valueStatsCols());
            InternalArray nulls = stats.nullCounts();
            if (nulls.isNullAt(index)) {
                return false;
            }
            long values = file.rowCount() - nulls.getLong(index);
            count += values;
            if (call.function() == Function.COUNT || values == 0) {
                return true;
            }
            InternalRow bounds =
                    call.function() == Function.MIN ? stats.minValues() : stats.maxValues();
            if (bounds.isNullAt(index)) {
                return false;
            }
            long value = value(bounds);
            Long before = bound;
            if (before == null) {
                bound = value;
            } else {
                bound =
                        call.function() == Function.MIN
                                ? Math.min(before, value)
                                : Math.max(before, value);
            }
            return true;
        }

        private long value(InternalRow row) {
            DataType type = field().type();
            return switch (type.getTypeRoot()) {
                case TINYINT -> row.getByte(index);
                case SMALLINT -> row.getShort(index);
                case INTEGER, DATE -> row.getInt(index);
                case BIGINT -> row.getLong(index);
                case DECIMAL -> {
                    DecimalType decimal = (DecimalType) type;
                    yield row.getDecimal(index, decimal.getPrecision(), decimal.getScale())
                            .toUnscaledLong();
                }
                default -> throw new IllegalStateException("No exact bounds of " + type);
            };
        }

        NullableValue result() {
            return call.function() == Function.COUNT
                    ? NullableValue.of(BIGINT, count)
                    : new NullableValue(call.column().orElseThrow().type(), bound);
        }
    }
}
