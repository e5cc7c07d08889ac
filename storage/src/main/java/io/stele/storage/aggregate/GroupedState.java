package io.stele.storage.aggregate;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.schema.DataType;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an aggregation has come to over some rows: groups, and what each function has of them.
 * States of disjoint rows merge into that of all. Confined to one thread.
 */
final class GroupedState {
    private final GroupKeys keys;
    private final Accumulator[] accumulators;

    GroupedState(List<DataType> groupTypes, List<AggregateCall> calls) {
        this.keys = new GroupKeys(groupTypes);
        this.accumulators = calls.stream().map(Accumulator::of).toArray(Accumulator[]::new);
        resize();
    }

    int groupCount() {
        return keys.size();
    }

    /** About the memory that it takes. */
    long sizeBytes() {
        long bytes = keys.sizeBytes();
        for (Accumulator accumulator : accumulators) {
            bytes += accumulator.sizeBytes();
        }
        return bytes;
    }

    /**
     * Adds rows of a batch.
     *
     * @param groups room for the group of each row
     * @param arguments of the functions; null where there is none
     */
    void add(
            ValueVector[] groupColumns,
            @Nullable ValueVector[] arguments,
            int[] rows,
            int count,
            int[] groups) {
        keys.assign(groupColumns, rows, count, groups);
        resize();
        for (int i = 0; i < accumulators.length; i++) {
            accumulators[i].add(groups, arguments[i], rows, count);
        }
    }

    /** Adds rows without values to the one group of everything; of counts. */
    void addCount(int call, long rows) {
        accumulators[call].addCount(0, rows);
    }

    /** Adds one value of a function to the one group of everything. */
    void addValue(int call, ValueVector value) {
        accumulators[call].add(new int[] {0}, value, new int[] {0}, 1);
    }

    void merge(GroupedState other) {
        int[] groups = keys.merge(other.keys);
        resize();
        for (int i = 0; i < accumulators.length; i++) {
            accumulators[i].merge(other.accumulators[i], groups);
        }
    }

    /** Writes the result of a group: its columns, then the functions. */
    void set(int group, int groupColumns, RowEncoder row) {
        keys.set(group, row);
        for (int i = 0; i < accumulators.length; i++) {
            accumulators[i].set(group, row, groupColumns + i);
        }
    }

    void write(DataOutput target) throws IOException {
        keys.write(target);
        for (Accumulator accumulator : accumulators) {
            accumulator.write(target, keys.size());
        }
    }

    /** Reads what {@link #write} wrote, into a new state of the same aggregation. */
    void read(DataInput source) throws IOException {
        keys.read(source);
        for (Accumulator accumulator : accumulators) {
            accumulator.read(source, keys.size());
        }
    }

    private void resize() {
        for (Accumulator accumulator : accumulators) {
            accumulator.resize(keys.size());
        }
    }
}
