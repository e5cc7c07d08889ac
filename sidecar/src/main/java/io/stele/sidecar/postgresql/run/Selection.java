package io.stele.sidecar.postgresql.run;

import io.stele.protocol.row.BinaryRow;
import io.stele.sidecar.postgresql.plan.Computation;
import io.stele.sidecar.postgresql.plan.FixedPlan.AggregateCall;
import io.stele.sidecar.postgresql.plan.FixedPlan.SelectPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.SortItem;
import io.stele.sidecar.postgresql.plan.Ordering;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The result rows of a fixed plan's SELECT: filtered, aggregated or sorted, and cut by LIMIT and
 * OFFSET. Sorted rows are held in memory, with a LIMIT no more than it needs.
 */
final class Selection implements PlanRows {
    private static final long MAX_SORTED_BYTES = 64 << 20;
    private static final int ROW_OVERHEAD_BYTES = 64;

    private final SelectPlan plan;
    private final RowSource rows;
    private final Scope scope;
    private final IntFunction<@Nullable Object> values; // of the scope's row
    private final BinaryRow view;
    private final Cut cut;
    private long passed; // rows that OFFSET has skipped
    private long written;
    private @Nullable List<SortedRow> sorted;
    private int nextSorted;

    private record SortedRow(byte[] row, List<Optional<Object>> order) {}

    /** The values of LIMIT and OFFSET. */
    record Cut(long limit, long offset) {
        static Cut of(SelectPlan plan, Scope scope) {
            return new Cut(
                    count(plan.limit(), scope, "LIMIT", Long.MAX_VALUE),
                    count(plan.offset(), scope, "OFFSET", 0));
        }

        private static long count(
                Optional<Computation> computation, Scope scope, String clause, long none) {
            Object value = computation.map(found -> found.evaluate(scope)).orElse(null);
            if (value == null) {
                return none;
            }
            long count = ((Number) value).longValue();
            if (count < 0) {
                throw new PostgresException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "Expected %s of 0 or more, found %s".formatted(clause, count));
            }
            return count;
        }

        /** How many rows that meet the condition are needed. */
        long wantedRows(SelectPlan plan) {
            if (plan.isFirstEnough()) {
                return 1;
            }
            return plan.aggregates().isEmpty() && plan.order().isEmpty() ? rows() : Long.MAX_VALUE;
        }

        private long rows() {
            return limit > Long.MAX_VALUE - offset ? Long.MAX_VALUE : limit + offset;
        }
    }

    Selection(SelectPlan plan, Cut cut, RowSource rows, RowBuilder builder, Scope scope) {
        this.plan = plan;
        this.cut = cut;
        this.rows = rows;
        this.scope = scope;
        this.values = index -> plan.results().get(index).value().evaluate(scope);
        this.view = new BinaryRow(builder.layout());
    }

    @Override
    public boolean next(RowSink sink) throws IOException {
        if (!plan.aggregates().isEmpty()) {
            return giveAggregates(sink);
        }
        if (written >= cut.limit()) {
            return false;
        }
        if (plan.order().isEmpty()) {
            while (nextMatching()) {
                if (passed < cut.offset()) {
                    passed++;
                } else {
                    give(rows.row(), sink);
                    written++;
                    return true;
                }
            }
            return false;
        }
        List<SortedRow> inOrder = sorted;
        if (inOrder == null) {
            inOrder = sort();
            sorted = inOrder;
            nextSorted = (int) Math.min(cut.offset(), inOrder.size());
        }
        if (nextSorted >= inOrder.size()) {
            return false;
        }
        give(view.wrap(inOrder.get(nextSorted++).row()), sink);
        written++;
        return true;
    }

    private void give(BinaryRow row, RowSink sink) throws IOException {
        scope.withRow(row);
        sink.row(row, values);
    }

    private boolean nextMatching() throws IOException {
        while (rows.next()) {
            scope.withRow(rows.row());
            if (plan.rows().residual().isEmpty() || plan.rows().residual().get().isTrue(scope)) {
                return true;
            }
        }
        return false;
    }

    private List<SortedRow> sort() throws IOException {
        long wanted = cut.rows();
        Comparator<SortedRow> order = this::compare;
        PriorityQueue<SortedRow> last = new PriorityQueue<>(Collections.reverseOrder(order));
        long bytes = 0;
        while (wanted > 0 && nextMatching()) {
            SortedRow row = new SortedRow(rows.row().toByteArray(), sortValues());
            if (last.size() == wanted) {
                SortedRow highest = last.element();
                if (compare(row, highest) >= 0) {
                    continue;
                }
                last.remove();
                bytes -= highest.row().length + ROW_OVERHEAD_BYTES;
            }
            last.add(row);
            bytes += row.row().length + ROW_OVERHEAD_BYTES;
            if (bytes > MAX_SORTED_BYTES) {
                throw new PostgresException(
                        SqlState.LIMIT_EXCEEDED,
                        "Expected at most %s bytes of rows to sort, found more"
                                .formatted(MAX_SORTED_BYTES),
                        Optional.of("Add a smaller LIMIT, or ask Trino."));
            }
        }
        List<SortedRow> inOrder = new ArrayList<>(last);
        inOrder.sort(order);
        return inOrder;
    }

    private List<Optional<Object>> sortValues() {
        List<Optional<Object>> values = new ArrayList<>(plan.order().size());
        for (SortItem item : plan.order()) {
            values.add(Optional.ofNullable(item.value().evaluate(scope)));
        }
        return values;
    }

    private int compare(SortedRow left, SortedRow right) {
        return Ordering.compare(plan.order(), left.order(), right.order(), scope.session().zone());
    }

    private boolean giveAggregates(RowSink sink) throws IOException {
        if (written > 0 || cut.limit() == 0 || cut.offset() > 0) {
            return false;
        }
        written++;
        List<AggregateCall> calls = plan.aggregates();
        long[] counts = new long[calls.size()];
        List<@Nullable Object> extremes = new ArrayList<>(Collections.nCopies(calls.size(), null));
        while (nextMatching()) {
            for (int i = 0; i < counts.length; i++) {
                AggregateCall call = calls.get(i);
                Object value = call.argument().map(found -> found.evaluate(scope)).orElse(null);
                if (call.argument().isEmpty() || value != null) {
                    counts[i]++;
                }
                if (value != null) {
                    extremes.set(i, extreme(call.function(), extremes.get(i), value));
                }
            }
            if (plan.isFirstEnough()) {
                break;
            }
        }
        List<@Nullable Object> results = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            results.add(calls.get(i).function().equals("count") ? counts[i] : extremes.get(i));
        }
        sink.values(results);
        return true;
    }

    private Object extreme(String function, @Nullable Object known, Object value) {
        if (known == null) {
            return value;
        }
        int order = Ordering.compare(value, known, scope.session().zone());
        return (function.equals("min") ? order < 0 : order > 0) ? value : known;
    }

    @Override
    public void pause() {
        rows.pause();
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }
}
