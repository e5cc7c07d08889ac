package io.stele.connector.read.page;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.DecimalScale;
import io.stele.columnfile.orc.ScaledColumn;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcReader;
import io.trino.orc.metadata.ColumnMetadata;
import io.trino.orc.metadata.statistics.ColumnStatistics;
import io.trino.orc.metadata.statistics.IntegerStatistics;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.ValueSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of a column of doubles that a file also stores, completely, as whole numbers, which are
 * read instead and decoded to the same bits. See {@link ScaledColumn}. Immutable.
 */
public final class ScaledDoubles {
    /** The most distinct values that {@code PackedBlock} stores as one byte per value. */
    private static final long MAX_ENTRIES = DistinctNumbers.MAX - 1;

    private final OrcColumn column;
    private final DecimalScale scale;
    private final long least;

    /** All values from the least to the greatest one of the file, and null; absent: too many. */
    private final Optional<LongArrayBlock> entries;

    private final boolean filtered;

    private ScaledDoubles(
            OrcColumn column,
            DecimalScale scale,
            long least,
            Optional<LongArrayBlock> entries,
            boolean filtered) {
        this.column = requireNonNull(column, "column is null");
        this.scale = requireNonNull(scale, "scale is null");
        this.least = least;
        this.entries = requireNonNull(entries, "entries is null");
        this.filtered = filtered;
    }

    /** The decoders of a file, by id of the column of doubles. */
    public static Map<Integer, ScaledDoubles> of(
            OrcReader reader, Map<Integer, OrcColumn> fileColumns) {
        Optional<ColumnMetadata<ColumnStatistics>> statistics = reader.getFooter().getFileStats();
        Map<Integer, ScaledDoubles> found = new HashMap<>();
        if (statistics.isEmpty()) {
            return found;
        }
        for (OrcColumn column : reader.getRootColumn().getNestedColumns()) {
            Optional<ScaledColumn> scaled = ScaledColumn.of(column.getAttributes());
            OrcColumn doubles =
                    scaled.map(present -> fileColumns.get(present.columnId())).orElse(null);
            if (scaled.isPresent() && doubles != null) {
                ColumnStatistics known = statistics.get().get(column.getColumnId());
                if (isWhole(known, statistics.get().get(doubles.getColumnId()))) {
                    found.put(
                            scaled.get().columnId(),
                            of(column, scaled.get().scale(), known.getIntegerStatistics()));
                }
            }
        }
        return found;
    }

    /** Whether the whole numbers are complete; their writer may have stopped them at some row. */
    private static boolean isWhole(
            @Nullable ColumnStatistics whole, @Nullable ColumnStatistics doubles) {
        return whole != null
                && doubles != null
                && whole.hasNumberOfValues()
                && doubles.hasNumberOfValues()
                && whole.getNumberOfValues() == doubles.getNumberOfValues();
    }

    public static ScaledDoubles of(
            OrcColumn column, DecimalScale scale, @Nullable IntegerStatistics bounds) {
        if (bounds == null || bounds.getMin() == null || bounds.getMax() == null) {
            return new ScaledDoubles(column, scale, 0, Optional.empty(), false);
        }
        long least = bounds.getMin();
        long count = bounds.getMax() - least + 1;
        Optional<LongArrayBlock> entries =
                count > MAX_ENTRIES
                        ? Optional.empty()
                        : Optional.of(entries(scale, least, (int) count));
        return new ScaledDoubles(column, scale, least, entries, false);
    }

    private static LongArrayBlock entries(DecimalScale scale, long least, int count) {
        BlockBuilder entries = DOUBLE.createFixedSizeBlockBuilder(count + 1);
        for (int entry = 0; entry < count; entry++) {
            DOUBLE.writeDouble(entries, scale.decode(least + entry));
        }
        entries.appendNull();
        return (LongArrayBlock) entries.buildValueBlock();
    }

    /**
     * The decoder for a scan that filters rows by the column: few distinct values are returned as a
     * dictionary block, as by {@code PackedBlock.unpack}.
     */
    public ScaledDoubles filtered() {
        return new ScaledDoubles(column, scale, least, entries, true);
    }

    /** The column of whole numbers in the file, of type bigint. */
    public OrcColumn column() {
        return column;
    }

    /** The doubles of whole numbers. */
    Block decode(Block whole) {
        return switch (whole) {
            case RunLengthEncodedBlock run ->
                    RunLengthEncodedBlock.create(
                            decodeEach(run.getValue()), run.getPositionCount());
            case LongArrayBlock longs when filtered && entries.isPresent() ->
                    DictionaryBlock.create(
                            longs.getPositionCount(), entries.get(), ids(longs, entries.get()));
            case LongArrayBlock longs when !longs.mayHaveNull() -> decodeAll(longs);
            default -> decodeEach(whole);
        };
    }

    private int[] ids(LongArrayBlock longs, LongArrayBlock values) {
        int[] ids = new int[longs.getPositionCount()];
        long[] raw = longs.getRawValues();
        int offset = longs.getRawValuesOffset();
        if (!longs.mayHaveNull()) {
            for (int position = 0; position < ids.length; position++) {
                ids[position] = (int) (raw[offset + position] - least);
            }
            return ids;
        }
        int ofNull = values.getPositionCount() - 1;
        for (int position = 0; position < ids.length; position++) {
            ids[position] =
                    longs.isNull(position) ? ofNull : (int) (raw[offset + position] - least);
        }
        return ids;
    }

    private LongArrayBlock decodeAll(LongArrayBlock longs) {
        long[] bits = new long[longs.getPositionCount()];
        long[] raw = longs.getRawValues();
        int offset = longs.getRawValuesOffset();
        for (int position = 0; position < bits.length; position++) {
            bits[position] = Double.doubleToRawLongBits(scale.decode(raw[offset + position]));
        }
        return new LongArrayBlock(bits.length, Optional.empty(), bits);
    }

    private Block decodeEach(Block whole) {
        BlockBuilder doubles = DOUBLE.createFixedSizeBlockBuilder(whole.getPositionCount());
        for (int position = 0; position < whole.getPositionCount(); position++) {
            if (whole.isNull(position)) {
                doubles.appendNull();
            } else {
                DOUBLE.writeDouble(doubles, scale.decode(BIGINT.getLong(whole, position)));
            }
        }
        return doubles.build();
    }

    /**
     * A domain of doubles in whole numbers, for statistics; each range may be wider by one at each
     * end.
     */
    public Domain domain(Domain doubles) {
        List<Range> ranges =
                doubles.getValues().getRanges().getOrderedRanges().stream()
                        .map(this::whole)
                        .toList();
        ValueSet values = ranges.isEmpty() ? ValueSet.none(BIGINT) : ValueSet.ofRanges(ranges);
        return Domain.create(values, doubles.isNullAllowed());
    }

    private Range whole(Range range) {
        long low =
                range.isLowUnbounded()
                        ? Long.MIN_VALUE
                        : scale.floor((double) range.getLowBoundedValue());
        long high =
                range.isHighUnbounded()
                        ? Long.MAX_VALUE
                        : scale.ceiling((double) range.getHighBoundedValue());
        return Range.range(BIGINT, low, true, high, true);
    }
}
