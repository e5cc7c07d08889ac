package io.stele.engine.snapshot;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.TableEntry;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import java.util.Set;

/**
 * The retention time of obsolete row versions: the option of the table, else the node's default.
 * Leases of snapshots may extend it, up to a limit.
 *
 * @param defaultMillis the retention of tables without the option, in milliseconds
 * @param leasedMillis the longest time by which leases extend a retention
 * @param startMillis the time after a start in which nothing is discarded, since the leases of
 *     before have to be renewed
 */
public record Retention(long defaultMillis, long leasedMillis, long startMillis) {
    /** A retention that leases extend without a limit, also by nothing after a start. */
    public Retention(long defaultMillis) {
        this(defaultMillis, Long.MAX_VALUE / 4, 0);
    }

    /**
     * The longest time for which a lease on some tables may keep history.
     *
     * @param tables empty: all tables
     */
    long leasedMillis(Catalog catalog, Set<TableId> tables) {
        long least =
                tables.stream()
                        .flatMap(table -> catalog.findTable(table).stream())
                        .mapToLong(entry -> millis(entry.schema()))
                        .min()
                        .orElseGet(() -> longestMillis(catalog));
        return least + leasedMillis;
    }

    /** The retention of one table, in milliseconds. */
    long millis(TableSchema table) {
        return table.options().retentionMillis().orElse(defaultMillis);
    }

    /** The longest retention of all tables; the default if there is no table. */
    long longestMillis(Catalog catalog) {
        long longest = -1;
        for (TableEntry entry : catalog.tables()) {
            longest = Math.max(longest, millis(entry.schema()));
        }
        return longest < 0 ? defaultMillis : longest;
    }
}
