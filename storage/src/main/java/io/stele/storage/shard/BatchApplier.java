package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.storage.tablet.TableShard;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Puts batches of plain operations into the tables of a shard. Confined to its context. */
final class BatchApplier {
    private final ShardTables tables;
    private final LongSupplier nowMillis;
    private final Map<TableShard, Lsn> ahead = new HashMap<>(); // see lookAhead
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
     * Looks up together what writes end in files, table by table; to be followed by {@link #apply}
     * of these, in their order, and then {@link #endAhead}, with nothing between.
     */
    void lookAhead(List<AheadWrite> writes) throws IOException {
        Map<TableShard, List<AheadWrite>> byTable = new LinkedHashMap<>();
        for (AheadWrite write : writes) {
            tables.findUnflushed(write.batch().tableId(), write.lsn())
                    .ifPresent(
                            table ->
                                    byTable.computeIfAbsent(table, key -> new ArrayList<>())
                                            .add(write));
        }
        for (Map.Entry<TableShard, List<AheadWrite>> entry : byTable.entrySet()) {
            List<AheadWrite> together = entry.getValue();
            entry.getKey()
                    .supersedeInFiles(
                            together.stream().map(AheadWrite::batch).toList(),
                            together.stream().mapToLong(write -> write.lsn().value()).toArray());
            ahead.put(entry.getKey(), together.getLast().lsn());
        }
    }

    /** What was looked up is not to be relied on any more: files may change. */
    void endAhead() {
        ahead.clear();
    }

    /** A batch that is about to be applied. */
    record AheadWrite(WriteBatchReader batch, Lsn lsn) {}

    /**
     * @param logLsn the oldest record that the batch can be replayed from
     */
    void apply(WriteBatchReader batch, Lsn lsn, long firstRowId, Lsn logLsn) throws IOException {
        Optional<TableShard> table = tables.findUnflushed(batch.tableId(), lsn);
        if (table.isPresent()) {
            if (lsn.compareTo(ahead.getOrDefault(table.get(), Lsn.MIN)) > 0) {
                table.get().supersedeInFiles(List.of(batch), new long[] {lsn.value()});
            }
            table.get()
                    .apply(batch, lsn.value(), firstRowId, logLsn.value(), nowMillis.getAsLong());
            if (counting) {
                table.get().traffic().ingested(batch.sizeBytes());
            }
        }
    }
}
