package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The plan and execution of a catalog query's joins, in memory. Inner joins run in the order of
 * their sizes, as far as equalities connect them; rows are found by hash. Confined to one
 * statement.
 */
final class JoinPlan {
    private static final Object[] NO_SLOTS = {};

    private final QueryContext context;
    private final List<Source> sources;
    private final List<JoinStep> steps;
    private final List<JoinStep.Condition> filters;
    private final Map<Integer, Hashed> hashes = new HashMap<>();

    /** The rows of a source, hashed by their join key. */
    private record Hashed(List<Object[]> rows, Map<Object, List<Object[]>> byKey) {}

    /**
     * @param filters of WHERE
     */
    JoinPlan(
            QueryContext context,
            List<Source> sources,
            List<JoinStep> steps,
            List<JoinStep.Condition> filters) {
        this.context = requireNonNull(context, "context is null");
        this.sources = List.copyOf(sources);
        List<JoinStep.Condition> all = new ArrayList<>(filters);
        boolean isInner = steps.stream().allMatch(step -> step.kind() == JoinStep.Kind.INNER);
        boolean isMovable = isInner && this.sources.stream().noneMatch(Source::isLateral);
        if (isMovable) {
            steps.forEach(step -> all.addAll(step.conditions()));
        }
        this.steps = isMovable ? ordered(steps, all) : List.copyOf(steps);
        this.filters = List.copyOf(all);
    }

    /**
     * The order of inner joins: first the smallest source, then the smallest that an equality
     * connects.
     */
    private List<JoinStep> ordered(List<JoinStep> given, List<JoinStep.Condition> conditions) {
        List<JoinStep> remaining = new ArrayList<>(given);
        List<JoinStep> ordered = new ArrayList<>();
        BitSet bound = new BitSet();
        while (!remaining.isEmpty()) {
            JoinStep best = remaining.get(0);
            double bestCost = Double.MAX_VALUE;
            for (JoinStep step : remaining) {
                double cost = cost(step.source(), bound, conditions);
                if (cost < bestCost) {
                    bestCost = cost;
                    best = step;
                }
            }
            remaining.remove(best);
            bound.set(best.source());
            ordered.add(new JoinStep(best.source(), JoinStep.Kind.INNER, List.of()));
        }
        return ordered;
    }

    private double cost(int source, BitSet bound, List<JoinStep.Condition> conditions) {
        double size = sources.get(source).relation().map(found -> found.rows().size()).orElse(50);
        boolean isConnected = bound.isEmpty();
        for (JoinStep.Condition condition : conditions) {
            Optional<JoinStep.Lookup> lookup = condition.lookup(source, bound);
            if (lookup.isPresent()) {
                size /= 20; // a guess: few equalities in catalogs find more
                isConnected |= !lookup.get().isConstant();
            }
        }
        return isConnected ? size : size * 1e9;
    }

    /** The joined rows: one row of each source. */
    List<Object[][]> rows(Frame query) {
        List<Object[][]> tuples = new ArrayList<>();
        tuples.add(new Object[sources.size()][]);
        for (int index = 0; index < sources.size(); index++) {
            tuples.get(0)[index] = sources.get(index).emptyRow();
        }
        BitSet bound = new BitSet();
        if (!tuples.isEmpty() && steps.isEmpty()) {
            return filtered(tuples, query, known(bound, -1));
        }
        for (JoinStep step : steps) {
            List<JoinStep.Condition> after = known(bound, step.source());
            tuples = joined(tuples, step, bound, after, query);
            bound.set(step.source());
            context.checkRows(tuples.size());
        }
        return tuples;
    }

    /** The conditions of WHERE that the next source completes. */
    private List<JoinStep.Condition> known(BitSet bound, int next) {
        BitSet now = (BitSet) bound.clone();
        if (next >= 0) {
            now.set(next);
        }
        boolean isLast = now.cardinality() == sources.size();
        if (steps.stream().anyMatch(step -> step.kind().keepsRight())) {
            return isLast ? filters : List.of(); // before, rows would only lose their match
        }
        boolean isFirst = bound.isEmpty();
        return filters.stream()
                .filter(filter -> filter.isKnown(now))
                .filter(filter -> isFirst || !filter.isKnown(bound))
                .toList();
    }

    private List<Object[][]> filtered(
            List<Object[][]> tuples, Frame query, List<JoinStep.Condition> conditions) {
        return tuples.stream()
                .filter(tuple -> meets(new Frame(query, tuple, NO_SLOTS), conditions))
                .toList();
    }

    private List<Object[][]> joined(
            List<Object[][]> tuples,
            JoinStep step,
            BitSet bound,
            List<JoinStep.Condition> after,
            Frame query) {
        boolean isInner = step.kind() == JoinStep.Kind.INNER;
        List<JoinStep.Condition> lookups = new ArrayList<>(step.conditions());
        if (isInner) {
            lookups.addAll(after);
        }
        Optional<JoinStep.Lookup> lookup =
                lookups.stream()
                        .flatMap(each -> each.lookup(step.source(), bound).stream())
                        .max(Comparator.comparing(found -> found.mine().column() >= 0));
        Source source = sources.get(step.source());
        Set<Object[]> matched = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Object[][]> result = new ArrayList<>();
        for (Object[][] tuple : tuples) {
            Object[][] work = tuple.clone();
            Frame frame = new Frame(query, work, NO_SLOTS);
            boolean isMatched = false;
            for (Object[] row : candidates(source, step.source(), lookup, frame, query)) {
                context.step();
                work[step.source()] = row;
                if (meets(frame, step.conditions())) {
                    isMatched = true;
                    if (step.kind().keepsRight()) {
                        matched.add(row);
                    }
                    keep(result, work, frame, after);
                }
            }
            if (!isMatched && step.kind().keepsLeft()) {
                work[step.source()] = source.emptyRow();
                keep(result, work, frame, after);
            }
            context.checkRows(result.size());
        }
        if (step.kind().keepsRight()) {
            addUnmatched(result, matched, source, step.source(), after, query);
        }
        return result;
    }

    private void keep(
            List<Object[][]> result,
            Object[][] work,
            Frame frame,
            List<JoinStep.Condition> conditions) {
        if (meets(frame, conditions)) {
            result.add(work.clone());
        }
    }

    private void addUnmatched(
            List<Object[][]> result,
            Set<Object[]> matched,
            Source source,
            int number,
            List<JoinStep.Condition> after,
            Frame query) {
        Object[][] work = new Object[sources.size()][];
        for (int index = 0; index < work.length; index++) {
            work[index] = sources.get(index).emptyRow();
        }
        Frame frame = new Frame(query, work, NO_SLOTS);
        for (Object[] row : source.rows().of(frame)) {
            if (!matched.contains(row)) {
                work[number] = row;
                keep(result, work, frame, after);
            }
        }
    }

    private static boolean meets(Frame frame, List<JoinStep.Condition> conditions) {
        for (JoinStep.Condition condition : conditions) {
            Object value = condition.expression().of(frame);
            if (value == CatalogValues.NULL || !CatalogValues.bool(value)) {
                return false;
            }
        }
        return true;
    }

    private List<Object[]> candidates(
            Source source, int number, Optional<JoinStep.Lookup> lookup, Frame frame, Frame query) {
        if (lookup.isEmpty()) {
            return source.rows().of(frame);
        }
        JoinStep.Side mine = lookup.get().mine();
        Object known = lookup.get().known().expression().of(frame);
        if (known == CatalogValues.NULL) {
            return List.of();
        }
        Object key = key(known, mine.expression().type());
        if (source.relation().isPresent() && mine.column() >= 0) {
            return source.relation().get().find(mine.column(), key);
        }
        List<Object[]> rows = source.rows().of(frame);
        Hashed hashed = hashes.get(number);
        if (hashed == null || hashed.rows() != rows) {
            Object[][] work = new Object[sources.size()][];
            Frame inner = new Frame(query, work, NO_SLOTS);
            Map<Object, List<Object[]>> byKey =
                    CatalogValues.groupBy(
                            rows,
                            row -> {
                                context.step();
                                work[number] = row;
                                return CatalogValues.key(mine.expression().of(inner));
                            },
                            new HashMap<>());
            hashed = new Hashed(rows, byKey);
            hashes.put(number, hashed);
        }
        return hashed.byKey().getOrDefault(key, List.of());
    }

    /** The known value, in the form of the hashed keys. */
    private static Object key(Object known, int type) {
        if (!(known instanceof String text)) {
            return CatalogValues.key(known);
        }
        if (TypeOids.isNumber(type)) {
            return CatalogValues.key(Operators.arithmetic("+", text, 0L));
        }
        return type == TypeOids.BOOL ? CatalogValues.bool(text) : known;
    }
}
