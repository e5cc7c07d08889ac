package io.stele.sidecar.postgresql.plan;

import io.stele.sidecar.postgresql.sql.NoFixedPlanException;
import io.stele.sidecar.postgresql.type.PostgresType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The compilation of CASE into a {@link Computation} of the common type of its values. Stateless.
 */
final class Choice {
    private Choice() {}

    /**
     * The value of the first condition that is true.
     *
     * @param values one more than conditions: the last is for none of them
     * @throws NoFixedPlanException if the values have no type in common
     */
    static Computation of(List<Computation> conditions, List<Computation> values) {
        PostgresType type = commonType(values);
        boolean isSame = values.stream().allMatch(value -> value.type() == type);
        List<Computation> all = new ArrayList<>(conditions);
        all.addAll(values);
        return new Computation(
                type,
                Computation.areConstant(all),
                scope -> {
                    int chosen = 0;
                    while (chosen < conditions.size() && !conditions.get(chosen).isTrue(scope)) {
                        chosen++;
                    }
                    @Nullable Object value = values.get(chosen).evaluate(scope);
                    return value == null || isSame
                            ? value
                            : Values.cast(value, type, scope.session().zone());
                });
    }

    private static PostgresType commonType(List<Computation> values) {
        List<PostgresType> types = values.stream().map(Computation::type).distinct().toList();
        if (types.size() == 1) {
            return types.getFirst();
        }
        if (types.stream().allMatch(PostgresType::isNumber)) {
            return types.stream().reduce(Values::arithmeticType).orElseThrow();
        }
        if (types.stream().allMatch(PostgresType::isText)) {
            return PostgresType.TEXT;
        }
        throw new NoFixedPlanException(
                "values of one type in CASE",
                String.join(", ", types.stream().map(PostgresType::sqlName).toList()));
    }
}
