package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.ScalarExpression;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The part of a table handle that has the pushed-down expressions and aggregation, which a scan
 * returns beside columns.
 *
 * @param expressions computed for each row: each is a column of id {@link #FIRST_EXPRESSION_ID} and
 *     below
 * @param aggregation the aggregation that the sidecar computes instead of sending the rows
 */
public record ScanOutputs(
        List<ScalarExpression> expressions, Optional<SteleAggregation> aggregation) {
    /** The column id of the first expression, below the ids of results of aggregate functions. */
    public static final int FIRST_EXPRESSION_ID = -1_000;

    /** No expressions and no aggregation. */
    public static final ScanOutputs NONE = new ScanOutputs(List.of(), Optional.empty());

    public ScanOutputs {
        expressions = List.copyOf(expressions);
        requireNonNull(aggregation, "aggregation is null");
    }

    /** The expression that a column is the value of. */
    public Optional<ScalarExpression> expression(int columnId) {
        int index = FIRST_EXPRESSION_ID - columnId;
        return index >= 0 && index < expressions.size()
                ? Optional.of(expressions.get(index))
                : Optional.empty();
    }

    /** The id that the next expression gets. */
    public int nextId() {
        return FIRST_EXPRESSION_ID - expressions.size();
    }

    ScanOutputs with(List<ScalarExpression> more) {
        List<ScalarExpression> all = new ArrayList<>(expressions);
        all.addAll(more);
        return new ScanOutputs(all, aggregation);
    }

    ScanOutputs with(SteleAggregation newAggregation) {
        return new ScanOutputs(expressions, Optional.of(newAggregation));
    }

    /** The text in EXPLAIN; empty if there is nothing. */
    @Override
    public String toString() {
        return Stream.of(
                        aggregation.map(made -> " aggregate=" + made).stream(),
                        Stream.of(" computes " + expressions.size())
                                .filter(text -> aggregation.isEmpty() && !expressions.isEmpty()))
                .flatMap(text -> text)
                .reduce("", String::concat);
    }
}
