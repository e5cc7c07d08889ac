package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkState;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.InternalRowUtils;
import org.jspecify.annotations.Nullable;

/**
 * The comparator of the keys of a table's files, which are the primary key without partition
 * columns, or empty without primary key. It compares keys and computes their ranges without code
 * generation, whose compiler takes longer to start than an image takes to build.
 *
 * <p>Immutable.
 */
final class KeyColumns {
    static final KeyColumns NONE = new KeyColumns(List.of());

    private final List<DataType> types;
    private final InternalRow.FieldGetter[] getters;

    private KeyColumns(List<DataType> types) {
        this.types = List.copyOf(types);
        this.getters =
                IntStream.range(0, types.size())
                        .mapToObj(
                                column -> InternalRow.createFieldGetter(types.get(column), column))
                        .toArray(InternalRow.FieldGetter[]::new);
    }

    static KeyColumns of(FileStoreTable table) {
        return table.primaryKeys().isEmpty()
                ? NONE
                : of(table.schema().logicalTrimmedPrimaryKeysType());
    }

    static KeyColumns of(RowType keys) {
        return new KeyColumns(keys.getFieldTypes());
    }

    int size() {
        return types.size();
    }

    /** The order of two keys. Files that were written without keys have an empty row instead. */
    int compare(BinaryRow left, BinaryRow right) {
        if (left.getFieldCount() != types.size() || right.getFieldCount() != types.size()) {
            return Integer.compare(left.getFieldCount(), right.getFieldCount());
        }
        for (int column = 0; column < types.size(); column++) {
            int result = compare(column, value(left, column), value(right, column));
            if (result != 0) {
                return result;
            }
        }
        return 0;
    }

    /** The range of all keys by the files' statistics; null where a file lacks key statistics. */
    EntryBlock.@Nullable KeyRange range(List<ManifestEntry> entries) {
        if (types.isEmpty()) {
            return null;
        }
        Object[] min = new Object[types.size()];
        Object[] max = new Object[types.size()];
        for (ManifestEntry entry : entries) {
            SimpleStats stats = entry.file().keyStats();
            if (!complete(stats)) {
                return null;
            }
            for (int column = 0; column < types.size(); column++) {
                Object low = value(stats.minValues(), column);
                if (min[column] == null || compare(column, low, min[column]) < 0) {
                    min[column] = low;
                }
                Object high = value(stats.maxValues(), column);
                if (max[column] == null || compare(column, high, max[column]) > 0) {
                    max[column] = high;
                }
            }
        }
        return new EntryBlock.KeyRange(row(min), row(max));
    }

    private boolean complete(SimpleStats stats) {
        if (stats.minValues().getFieldCount() != types.size()
                || stats.maxValues().getFieldCount() != types.size()
                || stats.nullCounts().size() != types.size()) {
            return false;
        }
        for (int column = 0; column < types.size(); column++) {
            if (stats.minValues().isNullAt(column)
                    || stats.maxValues().isNullAt(column)
                    || stats.nullCounts().isNullAt(column)
                    || stats.nullCounts().getLong(column) != 0) {
                return false;
            }
        }
        return true;
    }

    private BinaryRow row(Object[] values) {
        return new InternalRowSerializer(types.toArray(DataType[]::new))
                .toBinaryRow(GenericRow.of(values))
                .copy();
    }

    private Object value(BinaryRow row, int column) {
        Object value = getters[column].getFieldOrNull(row);
        checkState(value != null, "a key has no value in column %s", column);
        return value;
    }

    private int compare(int column, Object left, Object right) {
        DataTypeRoot root = types.get(column).getTypeRoot();
        return root == DataTypeRoot.BOOLEAN
                ? Boolean.compare((boolean) left, (boolean) right)
                : InternalRowUtils.compare(left, right, root);
    }
}
