package io.stele.sidecar.postgresql.plan;

import io.stele.sidecar.postgresql.sql.Expression;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.ArrayList;
import java.util.List;

/** The split of a condition into parts that must all hold. Stateless. */
final class Conjuncts {
    private Conjuncts() {}

    /** The parts, none of which is an AND or a comparison of tuples. */
    static List<Expression> of(Expression condition) {
        List<Expression> parts = new ArrayList<>();
        add(condition, parts);
        return parts;
    }

    private static void add(Expression condition, List<Expression> parts) {
        switch (condition) {
            case Expression.And and -> and.all().forEach(part -> add(part, parts));
            case Expression.Comparison comparison
                    when comparison.operator() == Expression.Operator.EQUAL
                            && comparison.left() instanceof Expression.Tuple left
                            && comparison.right() instanceof Expression.Tuple right ->
                    add(equalities(left, right), parts);
            default -> parts.add(condition);
        }
    }

    /** {@code (a, b) = (1, 2)} as {@code a = 1 AND b = 2}. */
    static Expression equalities(Expression.Tuple left, Expression.Tuple right) {
        if (left.values().size() != right.values().size()) {
            throw new PostgresException(
                    SqlState.SYNTAX_ERROR,
                    "Expected as many values on both sides, found %s and %s"
                            .formatted(left.values().size(), right.values().size()));
        }
        List<Expression> all = new ArrayList<>();
        for (int i = 0; i < left.values().size(); i++) {
            all.add(
                    new Expression.Comparison(
                            Expression.Operator.EQUAL,
                            left.values().get(i),
                            right.values().get(i)));
        }
        return new Expression.And(all);
    }
}
