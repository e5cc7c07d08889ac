package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.predicate.ColumnDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The inner loop of an aggregation: it filters batches of rows, evaluates the arguments, and adds
 * the rows to the groups of a state. It has buffers and is confined to one thread at a time.
 */
final class Aggregator {
    private static final int NO_ARGUMENT = -1;

    private final GroupedState state;
    private final GroupRange range;
    private final int[] groupSlots;
    private final VectorProgram program;
    private final int[] arguments; // by function, the number of its argument's result
    private final List<SlotFilter> filters = new ArrayList<>();
    private final ValueVector[] groupVectors;
    private final @Nullable ValueVector[] argumentVectors;
    private final Selection selection = new Selection();
    private final int[] groups = new int[VectorSource.BATCH_ROWS];
    private final RowRuns runs = new RowRuns();

    private record SlotFilter(int slot, ColumnFilter filter) {}

    Aggregator(AggregatePlan plan, Map<Integer, ColumnDomain> domains, GroupRange range) {
        this.state = plan.newState();
        this.range = requireNonNull(range, "range is null");
        List<AggregateCall> calls = plan.aggregation().calls();
        this.groupSlots = plan.aggregation().groupColumns().stream().mapToInt(plan::slot).toArray();
        this.groupVectors = new ValueVector[groupSlots.length];
        this.program = new VectorProgram(plan::slot);
        this.arguments =
                calls.stream()
                        .mapToInt(call -> call.argument().map(program::add).orElse(NO_ARGUMENT))
                        .toArray();
        this.argumentVectors = new ValueVector[arguments.length];
        domains.forEach(
                (id, domain) -> {
                    int slot = plan.slot(id);
                    filters.add(
                            new SlotFilter(
                                    slot,
                                    ColumnFilter.of(plan.columns().get(slot).type(), domain)));
                });
    }

    /** Adds the rows of the present batch. */
    void add(VectorSource batch) {
        selection.start(batch);
        for (SlotFilter filter : filters) {
            if (selection.count == 0) {
                return;
            }
            selection.count = filter.filter().select(batch.column(filter.slot()), selection);
        }
        if (selection.count == 0) {
            return;
        }
        for (int i = 0; i < groupSlots.length; i++) {
            groupVectors[i] = batch.column(groupSlots[i]);
        }
        if (!range.isAll()) {
            selection.count = GroupHashes.select(groupVectors, range, selection);
            if (selection.count == 0) {
                return;
            }
        }
        program.run(batch, selection);
        for (int i = 0; i < arguments.length; i++) {
            argumentVectors[i] = arguments[i] == NO_ARGUMENT ? null : program.result(arguments[i]);
        }
        state.add(groupVectors, argumentVectors, selection, groups, runs);
    }

    GroupedState state() {
        return state;
    }
}
