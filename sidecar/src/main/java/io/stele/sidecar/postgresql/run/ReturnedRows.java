package io.stele.sidecar.postgresql.run;

import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.ResultColumn;
import io.stele.sidecar.postgresql.plan.Scope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of RETURNING, whose expressions are evaluated before the statement commits, so that a
 * failure of one is a failure of the statement.
 */
final class ReturnedRows implements PlanRows {
    private final List<ResultColumn> columns;
    private final RowBuilder builder;
    private final Scope scope;
    private final Iterator<Returned> rows;

    /**
     * @param computed the values of the results that are no columns; null for columns
     */
    private record Returned(byte[] row, List<@Nullable Object> computed) {}

    private ReturnedRows(
            List<ResultColumn> columns, RowBuilder builder, Scope scope, List<Returned> rows) {
        this.columns = columns;
        this.builder = builder;
        this.scope = scope;
        this.rows = rows.iterator();
    }

    /**
     * @param rows in the table's layout
     */
    static ReturnedRows of(FixedPlan plan, RowBuilder builder, List<byte[]> rows, Scope scope) {
        List<ResultColumn> columns = plan.results();
        List<Returned> returned = new ArrayList<>();
        if (!columns.isEmpty()) {
            for (byte[] row : rows) {
                scope.withRow(builder.view(row));
                List<@Nullable Object> computed = new ArrayList<>(columns.size());
                for (ResultColumn column : columns) {
                    computed.add(
                            column.column().isPresent() ? null : column.value().evaluate(scope));
                }
                returned.add(new Returned(row, computed));
            }
        }
        return new ReturnedRows(columns, builder, scope, returned);
    }

    @Override
    public boolean next(RowSink sink) throws IOException {
        if (!rows.hasNext()) {
            return false;
        }
        Returned next = rows.next();
        scope.withRow(builder.view(next.row()));
        sink.row(
                builder.view(next.row()),
                index ->
                        columns.get(index).column().isPresent()
                                ? columns.get(index).value().evaluate(scope)
                                : next.computed().get(index));
        return true;
    }

    @Override
    public void close() {}
}
