package io.stele.engine.shard.maintenance;

import io.stele.protocol.Lsn;
import io.stele.protocol.schema.TableSchema;

/**
 * A source of the history horizon of a table: the LSN of the oldest snapshot that readers may still
 * use. Flushes and compactions may remove versions that were obsolete at or below it. Thread-safe.
 */
@FunctionalInterface
public interface History {
    /**
     * The LSN below which no reader reads the table any more; it never decreases. Versions that
     * became obsolete at or below it can be dropped.
     */
    Lsn horizon(TableSchema table);
}
