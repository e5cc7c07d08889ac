package io.stele.sidecar.postgresql.sql;

import io.stele.sidecar.postgresql.type.PostgresType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The untyped syntax tree of an SQL expression, which the parser builds for a {@link Statement} and
 * the planner of fixed plans compiles. Immutable.
 */
public sealed interface Expression {
    /**
     * A constant.
     *
     * @param value of the class that {@link PostgresType} defines for the type; null: NULL
     */
    record Literal(PostgresType type, @Nullable Object value) implements Expression {}

    /** {@code $1} and so on, from 1. */
    record Parameter(int number) implements Expression {}

    /** A column; the qualifier is the table's name or alias. */
    record Column(Optional<String> qualifier, String name) implements Expression {}

    /** A column of the row that was to be inserted, in ON CONFLICT DO UPDATE. */
    record Excluded(String name) implements Expression {}

    /** The keyword DEFAULT as the value of a column. */
    record Default() implements Expression {}

    record Cast(Expression value, PostgresType type) implements Expression {}

    /** Plus, minus, times, divided by, modulo: one of {@code + - * / %}. */
    record Arithmetic(char operator, Expression left, Expression right) implements Expression {}

    record Negated(Expression value) implements Expression {}

    record Concatenated(Expression left, Expression right) implements Expression {}

    /** One of the six comparisons. */
    record Comparison(Operator operator, Expression left, Expression right) implements Expression {}

    record And(List<Expression> all) implements Expression {
        public And {
            all = List.copyOf(all);
        }
    }

    record Or(List<Expression> any) implements Expression {
        public Or {
            any = List.copyOf(any);
        }
    }

    record Not(Expression value) implements Expression {}

    record IsNull(Expression value) implements Expression {}

    record In(Expression value, List<Expression> list) implements Expression {
        public In {
            list = List.copyOf(list);
        }
    }

    /** {@code value = ANY (array)}. */
    record EqualsAny(Expression value, Expression array) implements Expression {}

    record Like(Expression value, Expression pattern, boolean ignoreCase) implements Expression {}

    /** Several values side by side, {@code (a, b)}. */
    record Tuple(List<Expression> values) implements Expression {
        public Tuple {
            values = List.copyOf(values);
        }
    }

    /** A scalar function, by its name in lower case. */
    record Call(String function, List<Expression> arguments) implements Expression {
        public Call {
            arguments = List.copyOf(arguments);
        }
    }

    /**
     * The value of the first condition that is true; if none is, {@code otherwise}, or else NULL.
     */
    record Case(List<When> whens, Optional<Expression> otherwise) implements Expression {
        public Case {
            whens = List.copyOf(whens);
        }
    }

    /** A condition of CASE with its value. */
    record When(Expression condition, Expression value) {}

    /** {@code count(*)} without an argument, {@code count}, {@code min} or {@code max} with one. */
    record Aggregate(String function, Optional<Expression> argument) implements Expression {}

    /** A comparison. */
    enum Operator {
        EQUAL,
        NOT_EQUAL,
        LESS,
        AT_MOST,
        GREATER,
        AT_LEAST;

        /** The comparison with its sides exchanged. */
        public Operator mirrored() {
            return switch (this) {
                case EQUAL, NOT_EQUAL -> this;
                case LESS -> GREATER;
                case AT_MOST -> AT_LEAST;
                case GREATER -> LESS;
                case AT_LEAST -> AT_MOST;
            };
        }

        /** Whether it holds for the sign of a comparison. */
        public boolean holds(int order) {
            return switch (this) {
                case EQUAL -> order == 0;
                case NOT_EQUAL -> order != 0;
                case LESS -> order < 0;
                case AT_MOST -> order <= 0;
                case GREATER -> order > 0;
                case AT_LEAST -> order >= 0;
            };
        }
    }
}
