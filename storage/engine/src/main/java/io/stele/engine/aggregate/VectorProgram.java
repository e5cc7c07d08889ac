package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.ScalarExpression;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * The executable form of the argument expressions of an aggregation, which computes their common
 * parts only once per batch. It has buffers and is confined to one thread.
 */
final class VectorProgram {
    private final IntUnaryOperator slots;
    private final List<Step> steps = new ArrayList<>(); // each after the steps that it reads
    private final Map<ScalarExpression, Integer> numbers = new HashMap<>();
    private final List<ValueVector> results = new ArrayList<>(); // by step

    private record Step(VectorExpression expression, int[] arguments) {}

    /**
     * @param slots returns the slot of a column id in batches
     */
    VectorProgram(IntUnaryOperator slots) {
        this.slots = requireNonNull(slots, "slots is null");
    }

    /** Adds an expression; returns the number of its result. */
    int add(ScalarExpression expression) {
        Integer known = numbers.get(expression);
        if (known != null) {
            return known;
        }
        int[] arguments = expression.arguments().stream().mapToInt(this::add).toArray();
        steps.add(new Step(VectorExpression.of(expression, slots), arguments));
        numbers.put(expression, steps.size() - 1);
        return steps.size() - 1;
    }

    /**
     * Computes all results for the selected rows of a batch.
     *
     * @throws io.stele.protocol.SteleException NUMBER_OUT_OF_RANGE
     */
    void run(VectorSource batch, Selection selection) {
        results.clear();
        for (Step step : steps) {
            results.add(step.expression().evaluate(batch, selection, inputs(step)));
        }
    }

    private List<ValueVector> inputs(Step step) {
        return switch (step.arguments().length) {
            case 0 -> List.of();
            case 1 -> List.of(results.get(step.arguments()[0]));
            default -> List.of(results.get(step.arguments()[0]), results.get(step.arguments()[1]));
        };
    }

    /**
     * A result, valid until the next batch; values in rows that were not selected have no meaning.
     */
    ValueVector result(int number) {
        return results.get(number);
    }
}
