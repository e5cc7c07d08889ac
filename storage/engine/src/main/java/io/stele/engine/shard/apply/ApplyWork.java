package io.stele.engine.shard.apply;

import static java.util.Objects.requireNonNull;

import io.stele.engine.tablet.ObsoleteRows;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.Lsn;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;

/**
 * A logged write batch of a table, of which each apply worker applies the rows in its hash bucket
 * to memory. Immutable.
 *
 * @param place of its record in the group
 */
public record ApplyWork(
        int place, TableShard table, WriteBatchReader batch, Lsn lsn, long firstRowId) {
    public ApplyWork {
        requireNonNull(table, "table is null");
        requireNonNull(batch, "batch is null");
        requireNonNull(lsn, "lsn is null");
    }

    /** Counts the applied batch as traffic of its table. */
    public void count() {
        table.traffic().ingested(batch.sizeBytes());
    }

    void apply(int worker, ObsoleteRows obsolete) throws IOException {
        WriteBatchReader own =
                new WriteBatchReader(batch.buffer(), batch.offset(), batch.sizeBytes());
        table.applyPart(worker, own, lsn.value(), firstRowId, lsn.value(), obsolete);
    }
}
