package io.stele.storage.aggregate;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.predicate.ColumnDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds batches of rows to a state. Has buffers: confined to one thread at a time. */
final class Aggregator {
    private final GroupedState state;
    private final int[] groupSlots;
    private final @Nullable VectorExpression[] arguments;
    private final List<SlotFilter> filters = new ArrayList<>();
    private final ValueVector[] groupVectors;
    private final @Nullable ValueVector[] argumentVectors;
    private final int[] rows = new int[VectorSource.BATCH_ROWS];
    private final int[] groups = new int[VectorSource.BATCH_ROWS];

    private record SlotFilter(int slot, ColumnFilter filter) {}

    Aggregator(AggregatePlan plan, Map<Integer, ColumnDomain> domains) {
        this.state = plan.newState();
        List<AggregateCall> calls = plan.aggregation().calls();
        this.groupSlots = plan.aggregation().groupColumns().stream().mapToInt(plan::slot).toArray();
        this.groupVectors = new ValueVector[groupSlots.length];
        this.arguments = new VectorExpression[calls.size()];
        this.argumentVectors = new ValueVector[calls.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] =
                    calls.get(i)
                            .argument()
                            .map(argument -> VectorExpression.of(argument, plan::slot))
                            .orElse(null);
        }
        domains.forEach(
                (id, domain) -> {
                    int slot = plan.slot(id);
                    filters.add(
                            new SlotFilter(
                                    slot,
                                    ColumnFilter.of(plan.columns().get(slot).type(), domain)));
                });
    }

    /** Adds the batch at hand. */
    void add(VectorSource batch) {
        int count = batch.select(rows);
        for (SlotFilter filter : filters) {
            if (count == 0) {
                return;
            }
            count = filter.filter().select(batch.column(filter.slot()), rows, count);
        }
        if (count == 0) {
            return;
        }
        for (int i = 0; i < groupSlots.length; i++) {
            groupVectors[i] = batch.column(groupSlots[i]);
        }
        for (int i = 0; i < arguments.length; i++) {
            VectorExpression argument = arguments[i];
            argumentVectors[i] = argument == null ? null : argument.evaluate(batch, rows, count);
        }
        state.add(groupVectors, argumentVectors, rows, count, groups);
    }

    GroupedState state() {
        return state;
    }
}
