package io.stele.sidecar.postgresql.catalog;

import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A register of the aggregates, row numbers and set-returning functions of one SELECT of a catalog
 * query; it assigns their slots, and computes nothing.
 */
final class Slots {
    private final List<Aggregate> aggregates = new ArrayList<>();
    private final List<Window> windows = new ArrayList<>();
    private final List<SetFunction> sets = new ArrayList<>();
    private int count;

    /** An aggregate: {@code function(arguments ORDER BY order) FILTER (WHERE filter)}. */
    record Aggregate(
            int slot,
            String function,
            List<Typed> arguments,
            boolean isDistinct,
            List<SortKey> order,
            Optional<Typed> filter) {}

    /** {@code row_number() OVER (PARTITION BY partition ORDER BY order)}. */
    record Window(int slot, List<Typed> partition, List<SortKey> order) {}

    /** A function whose elements become rows, as {@code unnest} in a SELECT list. */
    record SetFunction(int slot, Typed elements) {}

    /** An item of ORDER BY. */
    record SortKey(Typed expression, boolean isAscending, boolean areNullsFirst) {}

    int count() {
        return count;
    }

    List<Aggregate> aggregates() {
        return aggregates;
    }

    List<Window> windows() {
        return windows;
    }

    List<SetFunction> sets() {
        return sets;
    }

    Typed aggregate(
            int type,
            String function,
            List<Typed> arguments,
            boolean isDistinct,
            List<SortKey> order,
            Optional<Typed> filter) {
        int slot = count++;
        aggregates.add(new Aggregate(slot, function, arguments, isDistinct, order, filter));
        return slot(type, slot);
    }

    Typed rowNumber(List<Typed> partition, List<SortKey> order) {
        int slot = count++;
        windows.add(new Window(slot, partition, order));
        return slot(TypeOids.INT8, slot);
    }

    Typed set(int type, Typed elements) {
        int slot = count++;
        sets.add(new SetFunction(slot, elements));
        return slot(type, slot);
    }

    private static Typed slot(int type, int slot) {
        return new Typed(type, frame -> frame.slots()[slot]);
    }
}
