package io.stele.engine.aggregate;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.row.RowEncoder;
import java.io.DataInput;
import java.io.DataOutput;

/** The accumulator of the aggregate function COUNT, of rows or of values that are not null. */
final class CountAccumulator extends Accumulator {
    @Override
    void set(int group, AggregateCall call, RowEncoder row, int column) {
        row.setLong(column, count(group));
    }

    @Override
    void addValues(RowRuns runs, ValueVector vector) {}

    @Override
    void mergeValue(int group, Accumulator other, int otherGroup) {}

    @Override
    void resizeValues(int capacity) {}

    @Override
    int valueBytes() {
        return 0;
    }

    @Override
    void writeValue(DataOutput target, int group) {}

    @Override
    void readValue(DataInput source, int group) {}
}
