package io.stele.storage.shard;

import io.stele.protocol.Lsn;
import io.stele.protocol.schema.TableSchema;

/** Knows what readers may still ask for. Safe for use by many threads. */
@FunctionalInterface
public interface History {
    /**
     * The LSN below which nobody reads the table any more; it never goes back. Versions that ended
     * at or below it can go.
     */
    Lsn horizon(TableSchema table);
}
