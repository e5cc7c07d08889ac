package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.ScalarExpression;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * Expressions that are computed together: what several of them have in common is computed once a
 * batch. Has buffers: confined to one thread.
 */
final class VectorProgram {
    private final IntUnaryOperator slots;
    private final List<Step> steps = new ArrayList<>(); // each after those whose results it takes
    private final Map<ScalarExpression, Integer> numbers = new HashMap<>();
    private final List<ValueVector> results = new ArrayList<>(); // by step

    private record Step(VectorExpression expression, int[] arguments) {}

    /**
     * @param slots the slot of each column id in batches
     */
    VectorProgram(IntUnaryOperator slots) {
        this.slots = requireNonNull(slots, "slots is null");
    }

    /** Adds an expression; the number of its result. */
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

    /** A result, valid until the next batch; of rows that were not selected without meaning. */
    ValueVector result(int number) {
        return results.get(number);
    }
}
