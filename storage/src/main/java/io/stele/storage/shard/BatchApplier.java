package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.storage.tablet.TableShard;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Puts batches of plain operations into the tables of a shard. Confined to its context. */
final class BatchApplier {
    private final ShardTables tables;
    private final LongSupplier nowMillis;
    private boolean counting;

    BatchApplier(ShardTables tables, LongSupplier nowMillis) {
        this.tables = requireNonNull(tables, "tables is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
    }

    /** From now on what comes in is counted as traffic: replay is over. */
    void startCounting() {
        counting = true;
    }

    boolean isCounting() {
        return counting;
    }

    /**
     * @param logLsn the oldest record that the batch can be replayed from
     */
    void apply(WriteBatchReader batch, Lsn lsn, long firstRowId, Lsn logLsn) throws IOException {
        Optional<TableShard> table = tables.findUnflushed(batch.tableId(), lsn);
        if (table.isPresent()) {
            table.get()
                    .apply(batch, lsn.value(), firstRowId, logLsn.value(), nowMillis.getAsLong());
            if (counting) {
                table.get().traffic().ingested(batch.sizeBytes());
            }
        }
    }
}
