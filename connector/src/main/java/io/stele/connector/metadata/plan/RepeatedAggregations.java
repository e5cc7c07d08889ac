package io.stele.connector.metadata.plan;

import io.stele.protocol.TableId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The decision when to fill the sidecar's caches: aggregations of columns that it does not have go
 * to workers, until what they would have saved is as much as filling costs. That is the rule of ski
 * rental (Karlin, Manasse, Rudolph, Sleator 1988): nobody spends more than twice what the best
 * choice in hindsight costs. Where filling did not help, since the columns do not fit, the next
 * time it has to save twice as much.
 *
 * <p>Guarded by itself.
 */
final class RepeatedAggregations {
    private static final int MAX_KEPT = 1_000;

    /** Thousand times what filling costs: by then it is not tried any more. */
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

    /** Changed under the lock of the owner only. */
    private static final class Account {
        private double foregoneMillis;
        private int fillings;
    }

    /** Whether the sidecar aggregates although it is slower, so that the next ones are faster. */
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
