package io.stele.engine.aggregate;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.AggregateFunction;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import java.util.List;
import java.util.Optional;

/**
 * The computation of counts, minima and maxima of whole column files from the statistics in the
 * manifest's entries, without reading the files. Bounds of text may be truncated there, and those
 * of floating point hide NaN and the sign of zero, so neither are used. Stateless.
 */
final class StatisticsAggregates {
    private StatisticsAggregates() {}

    /** The state of all rows of a file, if its statistics determine it. */
    static Optional<GroupedState> of(AggregatePlan plan, FileScope scope) {
        boolean isGlobal = plan.aggregation().groupColumns().isEmpty();
        if (!isGlobal || !scope.isAllRows()) {
            return Optional.empty();
        }
        GroupedState state = plan.newState();
        List<AggregateCall> calls = plan.aggregation().calls();
        long rowCount = scope.file().entry().rowCount();
        for (int i = 0; i < calls.size(); i++) {
            if (!add(calls.get(i), i, scope, rowCount, state)) {
                return Optional.empty();
            }
        }
        return Optional.of(state);
    }

    private static boolean add(
            AggregateCall call, int index, FileScope scope, long rowCount, GroupedState state) {
        if (call.argument().isEmpty()) {
            state.addCount(index, rowCount);
            return true;
        }
        ScalarExpression argument = call.argument().get();
        if (argument.columnId().isEmpty()) {
            return false;
        }
        ColumnStats known = scope.statistics().get(argument.columnId().getAsInt());
        if (known == null || !known.hasNullCount()) {
            return false;
        }
        if (call.function() == AggregateFunction.COUNT) {
            state.addCount(index, rowCount - known.nullCount());
            return true;
        }
        boolean isExtreme =
                call.function() == AggregateFunction.MIN
                        || call.function() == AggregateFunction.MAX;
        if (!isExtreme || !isExact(argument.type())) {
            return false;
        }
        if (known.nullCount() == rowCount) {
            return true;
        }
        Optional<byte[]> bound =
                call.function() == AggregateFunction.MIN ? known.min() : known.max();
        if (bound.isEmpty()) {
            return false;
        }
        state.addValue(index, vector(argument.type(), bound.get()));
        return true;
    }

    private static boolean isExact(DataType type) {
        return switch (VectorKind.of(type)) {
            case LONG, INT128 -> true;
            case DOUBLE, BYTES -> false;
        };
    }

    private static ValueVector vector(DataType type, byte[] value) {
        ValueCodec codec = ValueCodec.of(type);
        ValueVector vector = ValueVector.allocate(VectorKind.of(type), 1);
        if (vector.kind == VectorKind.INT128) {
            vector.highs[0] = codec.decodeHigh(value);
            vector.longs[0] = codec.decodeLow(value);
        } else {
            vector.longs[0] =
                    type.form() == PhysicalForm.BOOLEAN
                            ? (codec.decodeBoolean(value) ? 1 : 0)
                            : codec.decodeLong(value);
        }
        return vector;
    }
}
