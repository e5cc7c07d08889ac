package io.stele.paimon.merge;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;

import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.type.Type;
import java.util.Arrays;
import java.util.List;
import org.apache.paimon.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * One page of a merge's input, with the keys, sequence fields and kinds by which its rows are
 * merged. Confined to one driver.
 */
final class MergeBatch {
    private final MergeLayout layout;
    private final SourcePage page;
    private final int count; // that of the page may shrink when its rest is returned
    private final ColumnValues[] keys;
    private final ColumnValues[] sequence;
    private final ColumnValues.@Nullable Longs numbers; // null: all rows have that of the file
    private final ColumnValues.@Nullable Longs kinds; // null: no row is a deletion
    private final @Nullable Block[] loaded;
    private long usedIn = -1;

    MergeBatch(MergeLayout layout, SourcePage page) {
        this.layout = layout;
        this.page = page;
        this.count = page.getPositionCount();
        this.keys = values(layout.keys());
        this.sequence = values(layout.sequence());
        this.numbers = layout.sequenceNumber() < 0 ? null : longs(BIGINT, layout.sequenceNumber());
        this.kinds = kinds();
        this.loaded = new Block[layout.columnCount()];
    }

    private ColumnValues[] values(List<MergeLayout.Column> columns) {
        ColumnValues[] values = new ColumnValues[columns.size()];
        for (int i = 0; i < values.length; i++) {
            MergeLayout.Column column = columns.get(i);
            values[i] = ColumnValues.of(column.type(), page.getBlock(column.channel()));
        }
        return values;
    }

    private ColumnValues.Longs longs(Type type, int channel) {
        return (ColumnValues.Longs) ColumnValues.of(type, page.getBlock(channel));
    }

    private ColumnValues.@Nullable Longs kinds() {
        if (layout.kind() < 0) {
            return null;
        }
        ColumnValues.Longs found = longs(TINYINT, layout.kind());
        return Arrays.stream(found.values()).allMatch(kind -> isAdd((byte) kind)) ? null : found;
    }

    private static boolean isAdd(byte kind) {
        return RowKind.fromByteValue(kind).isAdd();
    }

    int count() {
        return count;
    }

    /** The page, whose blocks can be read until the input's next page is read. */
    SourcePage page() {
        return page;
    }

    boolean hasDeletions() {
        return kinds != null;
    }

    RowKind kind(int position) {
        return kinds == null
                ? RowKind.INSERT
                : RowKind.fromByteValue((byte) kinds.values()[position]);
    }

    boolean isAdd(int position) {
        return kinds == null || isAdd((byte) kinds.values()[position]);
    }

    int compareKeys(int position, MergeBatch other, int otherPosition) {
        for (int i = 0; i < keys.length; i++) {
            int result = keys[i].compare(position, other.keys[i], otherPosition);
            if (result != 0) {
                return result;
            }
        }
        return 0;
    }

    /**
     * Compares the sequence fields of two rows; nulls come first, also where the order is
     * descending.
     */
    int compareSequence(int position, MergeBatch other, int otherPosition) {
        for (int i = 0; i < sequence.length; i++) {
            boolean isNull = sequence[i].isNull(position);
            boolean isOtherNull = other.sequence[i].isNull(otherPosition);
            if (isNull || isOtherNull) {
                if (isNull != isOtherNull) {
                    return isNull ? -1 : 1;
                }
                continue;
            }
            int result = sequence[i].compare(position, other.sequence[i], otherPosition);
            if (result != 0) {
                return layout.isSequenceAscending() ? result : -result;
            }
        }
        return 0;
    }

    /**
     * @param ofFile the sequence number of all rows of the file, where rows have none of their own
     */
    long sequenceNumber(int position, long ofFile) {
        return numbers == null ? ofFile : numbers.values()[position];
    }

    /** Notes that the result page of this number has rows of the batch. */
    void useIn(long result) {
        usedIn = result;
    }

    boolean isUsedIn(long result) {
        return usedIn == result;
    }

    /** Loads the blocks of all wanted columns, so that the input may read its next page. */
    void load() {
        for (int channel = 0; channel < loaded.length; channel++) {
            block(channel);
        }
    }

    /** The block of a wanted column. */
    Block block(int channel) {
        Block block = loaded[channel];
        if (block == null) {
            block = page.getBlock(channel);
            loaded[channel] = block;
        }
        return block;
    }

    long retainedBytes() {
        long bytes = page.getRetainedSizeInBytes();
        for (ColumnValues values : keys) {
            bytes += values.retainedBytes();
        }
        for (ColumnValues values : sequence) {
            bytes += values.retainedBytes();
        }
        return bytes
                + (numbers == null ? 0 : numbers.retainedBytes())
                + (kinds == null ? 0 : kinds.retainedBytes());
    }
}
