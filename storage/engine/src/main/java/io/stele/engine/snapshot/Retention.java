package io.stele.engine.snapshot;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.TableEntry;
import io.stele.protocol.schema.TableSchema;

/**
 * The retention time of obsolete row versions: the option of the table, else the node's default.
 *
 * @param defaultMillis the retention of tables without the option, in milliseconds
 */
public record Retention(long defaultMillis) {
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
