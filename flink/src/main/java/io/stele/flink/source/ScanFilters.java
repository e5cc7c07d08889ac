package io.stele.flink.source;

import static java.util.Objects.requireNonNull;

import io.stele.flink.table.BoundTable;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.Expression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;

/**
 * The pushed-down predicate of a scan, made of a statement's filters: comparisons of columns with
 * constants, and null checks. It is advisory, because Flink checks every row. Immutable.
 *
 * @param predicate every row that meets the filters meets it
 * @param used the filters that it is made of; scans with different predicates must differ here, or
 *     Flink would reuse one for the other
 */
public record ScanFilters(ScanPredicate predicate, List<ResolvedExpression> used) {
    public ScanFilters {
        requireNonNull(predicate, "predicate is null");
        used = List.copyOf(used);
    }

    public static ScanFilters of(BoundTable table, List<ResolvedExpression> filters) {
        Map<Integer, ColumnDomain> domains = new HashMap<>();
        List<ResolvedExpression> used = new ArrayList<>();
        for (ResolvedExpression filter : filters) {
            if (filter instanceof CallExpression call && addDomain(table, call, domains)) {
                used.add(filter);
            }
        }
        return new ScanFilters(new ScanPredicate(domains), used);
    }

    /** Adds the domain of a filter; false if no domain contains all rows that meet it. */
    private static boolean addDomain(
            BoundTable table, CallExpression call, Map<Integer, ColumnDomain> domains) {
        List<Expression> arguments = call.getChildren();
        if (arguments.isEmpty()) {
            return false;
        }
        boolean isSwapped = arguments.get(0) instanceof ValueLiteralExpression;
        if (arguments.size() > 2
                || !(arguments.get(isSwapped ? arguments.size() - 1 : 0)
                        instanceof FieldReferenceExpression field)) {
            return false;
        }
        int position = table.declared().getFieldIndex(field.getName());
        if (position < 0) {
            return false;
        }
        ColumnSchema column = table.schema().column(table.columnIds().get(position));
        Optional<ColumnDomain> domain =
                arguments.size() == 1
                        ? nullCheck(call.getFunctionDefinition())
                        : literal(arguments.get(isSwapped ? 0 : 1), column.type())
                                .flatMap(
                                        value ->
                                                range(
                                                        call.getFunctionDefinition(),
                                                        value,
                                                        isSwapped))
                                .map(ColumnDomain::of);
        domain.ifPresent(found -> domains.merge(column.id(), found, ScanFilters::both));
        return domain.isPresent();
    }

    private static Optional<ColumnDomain> nullCheck(FunctionDefinition function) {
        if (function == BuiltInFunctionDefinitions.IS_NULL) {
            return Optional.of(ColumnDomain.onlyNull());
        }
        return function == BuiltInFunctionDefinitions.IS_NOT_NULL
                ? Optional.of(ColumnDomain.notNull())
                : Optional.empty();
    }

    private static Optional<ValueRange> range(
            FunctionDefinition function, byte[] value, boolean isSwapped) {
        if (function == BuiltInFunctionDefinitions.EQUALS) {
            return Optional.of(ValueRange.equal(value));
        }
        boolean less = function == BuiltInFunctionDefinitions.LESS_THAN;
        boolean atMost = function == BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL;
        boolean greater = function == BuiltInFunctionDefinitions.GREATER_THAN;
        boolean atLeast = function == BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL;
        if (isSwapped ? greater : less) {
            return Optional.of(ValueRange.lessThan(value));
        }
        if (isSwapped ? atLeast : atMost) {
            return Optional.of(ValueRange.atMost(value));
        }
        if (isSwapped ? less : greater) {
            return Optional.of(ValueRange.greaterThan(value));
        }
        return (isSwapped ? atMost : atLeast)
                ? Optional.of(ValueRange.atLeast(value))
                : Optional.empty();
    }

    /**
     * The intersection of two domains; one of the two if the intersection is not a single range.
     */
    private static ColumnDomain both(ColumnDomain left, ColumnDomain right) {
        if (left.ranges().size() != 1 || right.ranges().size() != 1) {
            return left;
        }
        ValueRange first = left.ranges().get(0);
        ValueRange second = right.ranges().get(0);
        if (first.low().isEmpty() && second.high().isEmpty()) {
            return between(second, first);
        }
        return second.low().isEmpty() && first.high().isEmpty() ? between(first, second) : left;
    }

    private static ColumnDomain between(ValueRange low, ValueRange high) {
        return ColumnDomain.of(
                new ValueRange(low.low(), low.lowInclusive(), high.high(), high.highInclusive()));
    }

    /**
     * The bytes of a constant in the column's order; empty: the type cannot represent it exactly.
     */
    private static Optional<byte[]> literal(Expression expression, DataType type) {
        if (!(expression instanceof ValueLiteralExpression literal) || literal.isNull()) {
            return Optional.empty();
        }
        try {
            return value(literal, type).map(value -> ValueCodec.of(type).encodeObject(value));
        } catch (SteleException | ArithmeticException outOfRange) {
            return Optional.empty();
        }
    }

    private static Optional<?> value(ValueLiteralExpression literal, DataType type) {
        return switch (type.kind()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT ->
                    literal.getValueAs(BigDecimal.class).map(BigDecimal::longValueExact);
            case DECIMAL -> literal.getValueAs(BigDecimal.class);
            case BOOLEAN -> literal.getValueAs(Boolean.class);
            case VARCHAR -> literal.getValueAs(String.class);
            case DATE -> literal.getValueAs(LocalDate.class);
            case TIMESTAMP -> literal.getValueAs(LocalDateTime.class);
            case TIMESTAMP_WITH_TIME_ZONE -> literal.getValueAs(Instant.class);
            // NaN, padded and unordered types have other rules
            case REAL, DOUBLE, CHAR, JSON, VARBINARY, TIME, UUID, ARRAY, MAP, ROW ->
                    Optional.empty();
        };
    }
}
