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
    private final TableGroupShard shard;
    private final ShardTables tables;
    private final LongSupplier nowMillis;
    private final Map<TableShard, Lsn> ahead = new HashMap<>(); // see lookAhead
    private boolean counting;

    BatchApplier(TableGroupShard shard, ShardTables tables, LongSupplier nowMillis) {
        this.shard = requireNonNull(shard, "shard is null");
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
     * of these, in their order, and then {@link #endAhead}, with nothing between. A table whose
     * files cannot be used is set aside.
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
            try {
                entry.getKey()
                        .supersedeInFiles(
                                together.stream().map(AheadWrite::batch).toList(),
                                together.stream()
                                        .mapToLong(write -> write.lsn().value())
                                        .toArray());
            } catch (IOException | RuntimeException broken) {
                if (StoreWait.isOutage(broken)) {
                    throw broken;
                }
                setAside(entry.getKey(), broken, together.getFirst().lsn());
            }
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
     * Applies a batch. A table that cannot take it is set aside, unless the store does not answer.
     *
     * @param logLsn the oldest record that the batch can be replayed from
     */
    void apply(WriteBatchReader batch, Lsn lsn, long firstRowId, Lsn logLsn) throws IOException {
        Optional<TableShard> table = tables.findUnflushed(batch.tableId(), lsn);
        if (table.isPresent()) {
            try {
                apply(table.get(), batch, lsn, firstRowId, logLsn);
            } catch (IOException | RuntimeException broken) {
                if (StoreWait.isOutage(broken)) {
                    throw broken;
                }
                setAside(table.get(), broken, logLsn);
            }
        }
    }

    private void apply(
            TableShard table, WriteBatchReader batch, Lsn lsn, long firstRowId, Lsn logLsn)
            throws IOException {
        if (lsn.compareTo(ahead.getOrDefault(table, Lsn.MIN)) > 0) {
            table.supersedeInFiles(List.of(batch), new long[] {lsn.value()});
        }
        table.apply(batch, lsn.value(), firstRowId, logLsn.value(), nowMillis.getAsLong());
        if (counting) {
            table.traffic().ingested(batch.sizeBytes());
        }
    }

    private void setAside(TableShard table, Exception broken, Lsn needed) {
        shard.setAside(table, TableGroupShard.recordName(shard.id(), needed), broken, needed);
    }
}
