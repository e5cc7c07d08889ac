package io.stele.sidecar.postgresql.plan;

import io.stele.sidecar.postgresql.type.PostgresType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A compiled expression of a fixed plan, with its type, which is evaluated for the values in scope.
 * Immutable.
 *
 * @param type of its values; UNKNOWN: a text that takes the type of the other operand
 * @param isConstant whether no row is needed
 */
public record Computation(PostgresType type, boolean isConstant, Evaluation evaluation) {
    /** The value for the values in scope, of the class of the type; null: NULL. */
    @FunctionalInterface
    public interface Evaluation {
        @Nullable Object evaluate(Scope scope);
    }

    public @Nullable Object evaluate(Scope scope) {
        return evaluation.evaluate(scope);
    }

    /** Whether a condition is true: neither false nor NULL. */
    public boolean isTrue(Scope scope) {
        return Boolean.TRUE.equals(evaluate(scope));
    }

    static Computation constant(PostgresType type, @Nullable Object value) {
        return new Computation(type, true, scope -> value);
    }

    static boolean areConstant(List<Computation> computations) {
        return computations.stream().allMatch(Computation::isConstant);
    }
}
