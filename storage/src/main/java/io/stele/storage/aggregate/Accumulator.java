package io.stele.storage.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one function has come to so far, for every group. Merging gives what all rows together would
 * have given; but sums of floating point depend on the order. Confined to one thread.
 */
abstract class Accumulator {
    /** Non-null values of each group. */
    private long[] counts = {};

    static Accumulator of(AggregateCall call) {
        if (call.argument().isEmpty()) {
            return new CountAccumulator();
        }
        ScalarExpression argument = call.argument().get();
        DataType type = argument.type();
        VectorKind kind = VectorKind.of(type);
        return switch (call.function()) {
            case COUNT -> new CountAccumulator();
            case SUM ->
                    kind == VectorKind.DOUBLE
                            ? new DoubleSumAccumulator(call.resultType(), false)
                            : new WideSumAccumulator(call.resultType(), false);
            case AVG ->
                    type instanceof DecimalType
                            ? new WideSumAccumulator(call.resultType(), true)
                            : new DoubleSumAccumulator(call.resultType(), true);
            case MIN -> ExtremeAccumulator.of(type, true);
            case MAX -> ExtremeAccumulator.of(type, false);
        };
    }

    /** Makes room for groups up to a number. */
    final void resize(int groups) {
        if (groups > counts.length) {
            int capacity = Math.max(groups, 2 * counts.length);
            counts = Arrays.copyOf(counts, capacity);
            resizeValues(capacity);
        }
    }

    /**
     * Adds rows.
     *
     * @param groups the group of each of {@code rows}
     * @param vector the argument; null where there is none
     */
    final void add(int[] groups, @Nullable ValueVector vector, int[] rows, int count) {
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            if (vector == null || !vector.isNull(row)) {
                counts[groups[i]]++;
            }
        }
        if (vector != null) {
            addValues(groups, vector, rows, count);
        }
    }

    /** Adds rows that are known by their number only; of counts. */
    final void addCount(int group, long rows) {
        counts[group] += rows;
    }

    /** Adds what another accumulator of the same function has of its groups. */
    final void merge(Accumulator other, int[] groups) {
        for (int from = 0; from < groups.length; from++) {
            if (other.counts[from] > 0) {
                mergeValue(groups[from], other, from);
                counts[groups[from]] += other.counts[from];
            }
        }
    }

    final long count(int group) {
        return counts[group];
    }

    final void write(DataOutput target, int groups) throws IOException {
        for (int group = 0; group < groups; group++) {
            target.writeLong(counts[group]);
            if (counts[group] > 0) {
                writeValue(target, group);
            }
        }
    }

    final void read(DataInput source, int groups) throws IOException {
        resize(groups);
        for (int group = 0; group < groups; group++) {
            counts[group] = source.readLong();
            if (counts[group] > 0) {
                readValue(source, group);
            }
        }
    }

    /** Bytes that the groups take. */
    final long sizeBytes() {
        return (long) counts.length * (Long.BYTES + valueBytes()) + variableBytes();
    }

    /** The result of a group to a column of a row, which is null until it is set. */
    abstract void set(int group, RowEncoder row, int column);

    abstract void addValues(int[] groups, ValueVector vector, int[] rows, int count);

    /** Called before the counts are added. */
    abstract void mergeValue(int group, Accumulator other, int otherGroup);

    abstract void resizeValues(int capacity);

    abstract int valueBytes();

    long variableBytes() {
        return 0;
    }

    abstract void writeValue(DataOutput target, int group) throws IOException;

    abstract void readValue(DataInput source, int group) throws IOException;

    /** Casts what {@link #merge} was given. */
    static <T extends Accumulator> T same(Class<T> type, Accumulator other) {
        return requireNonNull(type.cast(other), "other is null");
    }
}
