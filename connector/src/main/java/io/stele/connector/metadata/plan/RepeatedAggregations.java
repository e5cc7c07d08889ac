package io.stele.connector.metadata.plan;

import io.stele.protocol.TableId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The decision when the sidecar aggregates although it is slower now, to fill its caches for later
 * aggregations. Workers aggregate columns that it has not cached, until the savings foregone equal
 * the cost of filling. That is the rule of ski rental (Karlin, Manasse, Rudolph, Sleator 1988): the
 * total cost is at most twice that of the best choice in hindsight. If filling did not help,
 * because the columns do not fit, the next filling must save twice as much.
 *
 * <p>Guarded by itself.
 */
final class RepeatedAggregations {
    private static final int MAX_KEPT = 1_000;

    /**
     * The price is then a thousand times the cost of filling, so that it is practically never tried
     * again.
     */
    private static final int MAX_FILLINGS = 10;

    private final Map<Columns, Account> accounts =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Columns, Account> eldest) {
                    return size() > MAX_KEPT;
                }
            };

    /** Columns of a table that an aggregation reads. */
    record Columns(TableId table, Set<Integer> columnIds) {
        Columns {
            columnIds = Set.copyOf(columnIds);
        }
    }

    /** The foregone savings of some columns; changed only under the owner's lock. */
    private static final class Account {
        private double foregoneMillis;
        private int fillings;
    }

    /**
     * Whether the sidecar aggregates although it is slower, so that later aggregations are faster.
     */
    synchronized boolean fills(Columns columns, AggregationCost cost) {
        if (cost.isSidecar()) {
            Account filled = accounts.get(columns);
            if (filled != null) {
                filled.fillings = 0;
            }
            return false;
        }
        Account account = accounts.computeIfAbsent(columns, _ -> new Account());
        double price = cost.extraMillis() * (1 << account.fillings);
        if (account.foregoneMillis < price) {
            account.foregoneMillis += cost.foregoneMillis();
            return false;
        }
        account.foregoneMillis = 0;
        account.fillings = Math.min(MAX_FILLINGS, account.fillings + 1);
        return true;
    }
}
