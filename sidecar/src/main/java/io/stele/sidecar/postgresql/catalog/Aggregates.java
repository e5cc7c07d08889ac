package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The computation, in memory, of the groups, aggregates, row numbers and order of a catalog query.
 * Confined to one statement.
 */
final class Aggregates {
    private final QueryContext context;
    private final Casts casts;

    Aggregates(QueryContext context) {
        this.context = requireNonNull(context, "context is null");
        this.casts = new Casts(context);
    }

    /** The rows of each group, in the order in which groups appear. */
    List<List<Frame>> groups(List<Frame> frames, List<Typed> keys) {
        if (keys.isEmpty()) {
            return List.of(frames);
        }
        Map<List<Object>, List<Frame>> groups = new LinkedHashMap<>();
        for (Frame frame : frames) {
            context.step();
            groups.computeIfAbsent(key(keys, frame), ignored -> new ArrayList<>()).add(frame);
        }
        return List.copyOf(groups.values());
    }

    private static List<Object> key(List<Typed> keys, Frame frame) {
        return keys.stream().map(key -> CatalogValues.key(key.of(frame))).toList();
    }

    Object compute(Slots.Aggregate aggregate, List<Frame> group) {
        List<Frame> frames = new ArrayList<>();
        for (Frame frame : group) {
            context.step();
            if (aggregate.filter().isEmpty()
                    || CatalogValues.isTrue(aggregate.filter().get().of(frame))) {
                frames.add(frame);
            }
        }
        if (!aggregate.order().isEmpty()) {
            frames.sort(order(aggregate.order()));
        }
        if (aggregate.arguments().isEmpty()) {
            return (long) frames.size(); // count(*)
        }
        Typed argument = aggregate.arguments().get(0);
        boolean keepsNull = aggregate.function().equals("array_agg");
        Set<Object> seen = new HashSet<>();
        List<Object> values = new ArrayList<>();
        for (Frame frame : frames) {
            Object value = argument.of(frame);
            boolean isKept = keepsNull || value != CatalogValues.NULL;
            if (isKept && (!aggregate.isDistinct() || seen.add(CatalogValues.key(value)))) {
                values.add(value);
            }
        }
        if (aggregate.function().equals("count")) {
            return (long) values.size();
        }
        if (values.isEmpty()) {
            return CatalogValues.NULL;
        }
        return switch (aggregate.function()) {
            case "array_agg" -> new CatalogValues.Elements(values);
            case "string_agg" -> joined(aggregate, frames, values, argument.type());
            case "min" -> values.stream().min(CatalogValues::compare).orElseThrow();
            case "max" -> values.stream().max(CatalogValues::compare).orElseThrow();
            case "bool_or" -> values.stream().anyMatch(CatalogValues::isTrue);
            case "bool_and", "every" -> values.stream().allMatch(CatalogValues::isTrue);
            case "avg" ->
                    Operators.arithmetic(
                            "/", CatalogValues.decimal(sum(values)), (long) values.size());
            default -> sum(values);
        };
    }

    private static Object sum(List<Object> values) {
        Object sum = 0L;
        for (Object value : values) {
            sum = Operators.arithmetic("+", sum, value);
        }
        return sum;
    }

    private Object joined(
            Slots.Aggregate aggregate, List<Frame> frames, List<Object> values, int type) {
        Object separator =
                aggregate.arguments().size() > 1
                        ? aggregate.arguments().get(1).of(frames.get(0))
                        : "";
        return context.countText(
                String.join(
                        separator == CatalogValues.NULL ? "" : separator.toString(),
                        values.stream().map(value -> casts.text(value, type)).toList()));
    }

    /** Numbers the rows of each partition. */
    void number(Slots.Window window, List<Frame> frames) {
        Map<List<Object>, List<Frame>> partitions = new HashMap<>();
        for (Frame frame : frames) {
            context.step();
            partitions
                    .computeIfAbsent(key(window.partition(), frame), ignored -> new ArrayList<>())
                    .add(frame);
        }
        for (List<Frame> partition : partitions.values()) {
            partition.sort(order(window.order()));
            for (int index = 0; index < partition.size(); index++) {
                partition.get(index).slots()[window.slot()] = index + 1L;
            }
        }
    }

    private Comparator<Frame> order(List<Slots.SortKey> keys) {
        return (left, right) -> {
            context.step();
            for (Slots.SortKey key : keys) {
                int order = compare(key, key.expression().of(left), key.expression().of(right));
                if (order != 0) {
                    return order;
                }
            }
            return 0;
        };
    }

    static int compare(Slots.SortKey key, Object left, Object right) {
        if (left == CatalogValues.NULL || right == CatalogValues.NULL) {
            int nulls = Boolean.compare(left == CatalogValues.NULL, right == CatalogValues.NULL);
            return key.areNullsFirst() ? -nulls : nulls;
        }
        int order = CatalogValues.compare(left, right);
        return key.isAscending() ? order : -order;
    }
}
