package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.schema.DataType;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The partial result of an aggregation over some rows: its groups, and the state of each function
 * by group. States of disjoint rows merge into the state of all these rows. Functions that need the
 * same state share it. Confined to one thread.
 */
final class GroupedState {
    private final StateLayout layout;
    private final GroupKeys keys;
    private final Accumulator[] accumulators;

    GroupedState(List<DataType> groupTypes, StateLayout layout) {
        this.layout = requireNonNull(layout, "layout is null");
        this.keys = new GroupKeys(groupTypes);
        this.accumulators = new Accumulator[layout.stateCount()];
        for (int i = 0; i < accumulators.length; i++) {
            accumulators[i] = Accumulator.of(layout.calls().get(layout.owner(i)));
        }
        resize();
    }

    int groupCount() {
        return keys.size();
    }

    /** The approximate memory of the state, in bytes. */
    long sizeBytes() {
        long bytes = keys.sizeBytes();
        for (Accumulator accumulator : accumulators) {
            bytes += accumulator.sizeBytes();
        }
        return bytes;
    }

    /**
     * Adds the selected rows of a batch.
     *
     * @param arguments of the functions; null where there is none
     * @param groups a buffer for the group of each row
     * @param runs a buffer for the rows by group
     */
    void add(
            ValueVector[] groupColumns,
            @Nullable ValueVector[] arguments,
            Selection selection,
            int[] groups,
            RowRuns runs) {
        if (groupColumns.length == 0) {
            runs.all(selection.rows, selection.count);
        } else {
            keys.assign(groupColumns, selection, groups);
            runs.split(selection.rows, selection.count, groups, keys.size());
            resize();
        }
        for (int i = 0; i < accumulators.length; i++) {
            accumulators[i].add(runs, arguments[layout.owner(i)]);
        }
    }

    /** Adds a number of rows to a count, in an aggregation without group columns. */
    void addCount(int call, long rows) {
        int state = layout.place(call);
        if (layout.owner(state) == call) {
            accumulators[state].addCount(0, rows);
        }
    }

    /** Adds one value to a function, in an aggregation without group columns. */
    void addValue(int call, ValueVector value) {
        int state = layout.place(call);
        if (layout.owner(state) == call) {
            accumulators[state].add(RowRuns.SINGLE, value);
        }
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
        for (int i = 0; i < layout.calls().size(); i++) {
            accumulators[layout.place(i)].set(group, layout.calls().get(i), row, groupColumns + i);
        }
    }

    void write(DataOutput target) throws IOException {
        keys.write(target);
        for (Accumulator accumulator : accumulators) {
            accumulator.write(target, keys.size());
        }
    }

    /**
     * Reads the state that {@link #write} wrote; to be called on a new state of the same
     * aggregation.
     */
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
