package io.stele.engine.tablet;

import io.stele.protocol.schema.TableSchema;

/**
 * A calculation of the LSN below which rows of a table with a time to live have expired, so that
 * files need not retain them. Stateless.
 */
final class Expiry {
    /**
     * 10 s: while a change of the time to live is on its way, readers may still follow the former
     * value.
     */
    private static final long MARGIN = 10_000L << 16;

    private Expiry() {}

    /**
     * The LSN below which no reader at or above the horizon sees a row, or ever will; 0 where rows
     * do not expire.
     */
    static long expiredLsn(TableSchema table, long horizonLsn) {
        return table.options().firstRetainedLsn(Math.max(0, horizonLsn - MARGIN));
    }
}
