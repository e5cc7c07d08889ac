package io.stele.protocol.aggregate;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A grouped aggregation that a reader requests instead of rows (aggregation pushdown). The result
 * has one row for each group of rows with equal values in some columns. It has the group columns,
 * then the results of functions over the group. Without group columns there is one group, even if
 * there are no rows. Immutable.
 *
 * @param groupColumns ids of columns
 * @param calls the functions
 * @param maxGroups more groups are an error
 * @param usesCache whether cached results of files may be used, and results cached
 */
public record Aggregation(
        List<Integer> groupColumns, List<AggregateCall> calls, int maxGroups, boolean usesCache) {
    /** The most functions of one aggregation. */
    public static final int MAX_CALLS = 256;

    /** The most group columns: one bit of an int for each marks nulls. */
    public static final int MAX_GROUP_COLUMNS = 32;

    /** The most groups that any aggregation may have. */
    public static final int MAX_GROUPS = 10_000_000;

    /** An aggregation that may use the cache. */
    public Aggregation(List<Integer> groupColumns, List<AggregateCall> calls, int maxGroups) {
        this(groupColumns, calls, maxGroups, true);
    }

    public Aggregation {
        groupColumns = List.copyOf(groupColumns);
        calls = List.copyOf(calls);
        check(calls.size() <= MAX_CALLS, "at most " + MAX_CALLS + " functions", calls.size());
        check(
                groupColumns.size() <= MAX_GROUP_COLUMNS,
                "at most " + MAX_GROUP_COLUMNS + " columns to group by",
                groupColumns.size());
        check(
                maxGroups > 0 && maxGroups <= MAX_GROUPS,
                "1 to " + MAX_GROUPS + " groups",
                maxGroups);
    }

    /** The columns whose values are needed, ascending. */
    @JsonIgnore
    public Set<Integer> columnIds() {
        Set<Integer> ids = new TreeSet<>(groupColumns);
        for (AggregateCall call : calls) {
            call.argument().ifPresent(argument -> ids.addAll(argument.columnIds()));
        }
        return ids;
    }

    /**
     * The columns of the result rows, numbered from 1.
     *
     * @throws SteleException INVALID_ARGUMENT or COLUMN_NOT_FOUND if the aggregation does not fit
     *     the table
     */
    public List<ColumnSchema> resultColumns(TableSchema table) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (int columnId : groupColumns) {
            DataType type = table.column(columnId).type();
            check(AggregateCall.isGroupable(type), "a column to group by", type);
            columns.add(new ColumnSchema(columns.size() + 1, "group" + columns.size(), type));
        }
        for (AggregateCall call : calls) {
            call.argument().ifPresent(argument -> checkColumns(table, argument));
            columns.add(
                    new ColumnSchema(
                            columns.size() + 1, "value" + columns.size(), call.resultType()));
        }
        return List.copyOf(columns);
    }

    private static void checkColumns(TableSchema table, ScalarExpression expression) {
        if (expression.columnId().isPresent()) {
            DataType stored = table.column(expression.columnId().getAsInt()).type();
            check(
                    stored.equals(expression.type()),
                    "column " + expression.columnId().getAsInt() + " of type " + stored,
                    expression.type());
        }
        expression.arguments().forEach(argument -> checkColumns(table, argument));
    }

    private static void check(boolean holds, String expected, Object found) {
        if (!holds) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected %s in an aggregation, found %s".formatted(expected, found));
        }
    }
}
