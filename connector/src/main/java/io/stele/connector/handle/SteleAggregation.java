package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.Aggregation;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The part of a table handle that describes an aggregation pushed down to the sidecar, which sends
 * its result instead of the rows.
 *
 * @param columns the result columns, in order: the columns of groups, then one for each function,
 *     whose ids are {@link #FIRST_ID} and below
 * @param choice the estimate by which the sidecar was chosen; empty where the rows are so few that
 *     there is none
 */
public record SteleAggregation(
        Aggregation aggregation,
        List<SteleColumnHandle> columns,
        Optional<AggregationChoice> choice) {
    /** The column id of the first function's result, below the ids of hidden columns. */
    public static final int FIRST_ID = -100;

    public SteleAggregation {
        requireNonNull(aggregation, "aggregation is null");
        columns = List.copyOf(columns);
        requireNonNull(choice, "choice is null");
    }

    /** The text in EXPLAIN. */
    @Override
    public String toString() {
        int groups = aggregation.groupColumns().size();
        String functions = names(columns.subList(groups, columns.size()));
        String by = groups == 0 ? "" : " by " + names(columns.subList(0, groups));
        return functions + by + choice.map(made -> ", " + made).orElse("");
    }

    private static String names(List<SteleColumnHandle> columns) {
        return columns.stream()
                .map(SteleColumnHandle::name)
                .collect(Collectors.joining(", ", "[", "]"));
    }
}
