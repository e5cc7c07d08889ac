package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.tablet.SupersededRows;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.Lsn;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;

/**
 * A logged batch that apply workers apply, each its own part. Immutable.
 *
 * @param place of its record in the group
 */
record LaneWork(int place, TableShard table, WriteBatchReader batch, Lsn lsn, long firstRowId) {
    LaneWork {
        requireNonNull(table, "table is null");
        requireNonNull(batch, "batch is null");
        requireNonNull(lsn, "lsn is null");
    }

    /** The batch is applied: counts what came in. */
    void count() {
        table.traffic().ingested(batch.sizeBytes());
    }

    void apply(int lane, SupersededRows superseded) throws IOException {
        WriteBatchReader own =
                new WriteBatchReader(batch.buffer(), batch.offset(), batch.sizeBytes());
        table.applyLane(lane, own, lsn.value(), firstRowId, lsn.value(), superseded);
    }
}
