package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ObsoleteFileRows;
import io.stele.engine.tablet.TableShard;
import io.stele.objectstore.ParallelReads;
import io.stele.protocol.Lsn;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The applier of batches of plain operations to a shard's memtables, for durable records and in
 * recovery. It also searches the files for the rows that they make obsolete. Confined to the
 * shard's context.
 */
final class BatchApplier {
    /** In rows. With more, a joint lookup gains little, and the first rows wait for the last. */
    static final int MAX_AHEAD = 16_384;

    /** Searches at a time; each holds up to 48 MiB that it has read. */
    private static final int MAX_SEARCHES = 4;

    private final ShardState state;
    private final ShardTables tables;
    private final DamagedTables damaged;
    private final ParallelReads reads;
    private final Map<TableShard, Lsn> ahead = new HashMap<>(); // see lookAhead
    private Lsn aheadLsn = Lsn.MIN; // of the last write that was looked up
    private boolean counting;

    /**
     * @param reads of the store that files are in
     */
    BatchApplier(ShardState state, DamagedTables damaged, ParallelReads reads) {
        this.reads = requireNonNull(reads, "reads is null");
        this.state = requireNonNull(state, "state is null");
        this.tables = state.tables();
        this.damaged = requireNonNull(damaged, "damaged is null");
    }

    /** Counts applied batches as traffic from now on, since replay is over. */
    void startCounting() {
        counting = true;
    }

    boolean isCounting() {
        return counting;
    }

    /**
     * Looks up together the rows in files that writes make obsolete, for several tables in
     * parallel. Then {@link #apply} of these writes in their order and {@link #endAhead} must
     * follow, with nothing between. A table whose files cannot be used is set aside.
     *
     * @param needed the LSN of the first record that a table set aside here needs
     */
    void lookAhead(List<AheadWrite> writes, Lsn needed) throws IOException {
        Map<TableShard, Search> searches = new LinkedHashMap<>();
        for (AheadWrite write : writes) {
            tables.findUnflushed(write.batch().tableId(), write.lsn())
                    .ifPresent(
                            table ->
                                    searches.computeIfAbsent(table, Search::new).writes.add(write));
        }
        List<Search> all = List.copyOf(searches.values());
        for (int i = 0; i < all.size(); i += MAX_SEARCHES) {
            reads.runAll(all.subList(i, Math.min(all.size(), i + MAX_SEARCHES)));
        }
        for (Search search : searches.values()) {
            try {
                search.mark();
            } catch (IOException | RuntimeException broken) {
                if (StoreWait.isOutage(broken)) {
                    throw broken;
                }
                damaged.setAside(search.table, search.writes.getFirst().lsn(), broken, needed);
            }
            ahead.put(search.table, search.writes.getLast().lsn());
        }
        if (!writes.isEmpty()) {
            aheadLsn = writes.getLast().lsn();
        }
    }

    /** Whether the writes at an LSN were looked up, as far as they need it. */
    boolean isAhead(Lsn lsn) {
        return lsn.compareTo(aheadLsn) <= 0;
    }

    /** Discards the results of the lookups: files may change from now on. */
    void endAhead() {
        ahead.clear();
        aheadLsn = Lsn.MIN;
    }

    /**
     * The search for the rows in files that writes of a table make obsolete. A failure is stored,
     * and thrown when the result is marked.
     */
    private static final class Search implements ParallelReads.Read {
        private final TableShard table;
        private final List<AheadWrite> writes = new ArrayList<>();
        private ObsoleteFileRows found = ObsoleteFileRows.NONE;
        private @Nullable Exception failure;

        private Search(TableShard table) {
            this.table = table;
        }

        @Override
        public void run() {
            try {
                found =
                        table.findObsoleteFileRows(
                                writes.stream().map(AheadWrite::batch).toList(),
                                writes.stream().mapToLong(write -> write.lsn().value()).toArray());
            } catch (IOException | RuntimeException broken) {
                failure = broken;
            }
        }

        private void mark() throws IOException {
            switch (failure) {
                case null -> found.mark();
                case IOException broken -> throw broken;
                case RuntimeException broken -> throw broken;
                default -> throw new IllegalStateException(failure);
            }
        }
    }

    /** A batch that is about to be applied. */
    record AheadWrite(WriteBatchReader batch, Lsn lsn) {}

    /**
     * Applies a batch. A table that cannot apply it is set aside; a store that does not answer is
     * thrown as a failure instead.
     *
     * @param logLsn the LSN of the oldest log record that a replay of the batch needs
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
                damaged.setAside(table.get(), lsn, broken, logLsn);
            }
        }
    }

    private void apply(
            TableShard table, WriteBatchReader batch, Lsn lsn, long firstRowId, Lsn logLsn)
            throws IOException {
        if (lsn.compareTo(ahead.getOrDefault(table, Lsn.MIN)) > 0) {
            table.findObsoleteFileRows(List.of(batch), new long[] {lsn.value()}).mark();
        }
        table.apply(batch, lsn.value(), firstRowId, logLsn.value(), state.nowMillis());
        if (counting) {
            table.traffic().ingested(batch.sizeBytes());
        }
    }
}
