package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The partial results of one aggregate function, one per group, to which rows and other partial
 * results are added. Merged partial results equal the result of all rows together, except that sums
 * of floating point depend on the order. Confined to one thread.
 */
abstract class Accumulator {
    /** Non-null values of each group. */
    private long[] counts = {};

    static Accumulator of(AggregateCall call) {
        if (call.argument().isEmpty()) {
            return new CountAccumulator();
        }
        DataType type = call.argument().get().type();
        VectorKind kind = VectorKind.of(type);
        return switch (call.function()) {
            case COUNT -> new CountAccumulator();
            case SUM ->
                    kind == VectorKind.DOUBLE
                            ? new DoubleSumAccumulator()
                            : new WideSumAccumulator();
            case AVG ->
                    type instanceof DecimalType
                            ? new WideSumAccumulator()
                            : new DoubleSumAccumulator();
            case MIN -> ExtremeAccumulator.of(type, true);
            case MAX -> ExtremeAccumulator.of(type, false);
        };
    }

    /**
     * A key of a function's state: functions with equal keys share one state. A sum and an average
     * of the same values usually do.
     */
    static Object stateKey(AggregateCall call) {
        boolean isSum = of(call) instanceof DoubleSumAccumulator;
        boolean isWideSum = of(call) instanceof WideSumAccumulator;
        String kind = isSum ? "sum" : isWideSum ? "wide sum" : call.function().name();
        return List.of(kind, call.argument());
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
     * @param vector the argument; null where there is none
     */
    final void add(RowRuns runs, @Nullable ValueVector vector) {
        for (int run = 0; run < runs.count(); run++) {
            counts[runs.group(run)] +=
                    vector == null
                            ? runs.end(run) - runs.start(run)
                            : runs.countValues(run, vector);
        }
        if (vector != null) {
            addValues(runs, vector);
        }
    }

    /** Adds rows of which only the number is known, for counts. */
    final void addCount(int group, long rows) {
        counts[group] += rows;
    }

    /** Adds the values of another accumulator of the same function. */
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

    /** Memory of the groups, in bytes. */
    final long sizeBytes() {
        return (long) counts.length * (Long.BYTES + valueBytes()) + variableBytes();
    }

    /**
     * Sets a column of a row to the result of a group; leaves it null where the function has no
     * result.
     *
     * @param call one of the calls that share this state
     */
    abstract void set(int group, AggregateCall call, RowEncoder row, int column);

    /** Called after the counts are added. */
    abstract void addValues(RowRuns runs, ValueVector vector);

    /** Called before the counts are added. */
    abstract void mergeValue(int group, Accumulator other, int otherGroup);

    abstract void resizeValues(int capacity);

    abstract int valueBytes();

    long variableBytes() {
        return 0;
    }

    abstract void writeValue(DataOutput target, int group) throws IOException;

    abstract void readValue(DataInput source, int group) throws IOException;

    /** Casts the other accumulator of {@link #merge} to the type of this one. */
    static <T extends Accumulator> T same(Class<T> type, Accumulator other) {
        return requireNonNull(type.cast(other), "other is null");
    }
}
