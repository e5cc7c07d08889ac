package io.stele.benchmarks.apply;

import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.HashBucket;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RowCache;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.ObsoleteRows;
import io.stele.engine.tablet.TableShard;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.protocol.ShardId;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * An in-memory model of how a shard applies log records to a table, by one thread or by apply
 * workers, each on a thread of its own. There is no log and no scheduler.
 */
final class ParallelApply {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long NO_ROW_ID = -1;

    private final TableSchema schema;
    private final List<byte[]> batches;

    ParallelApply(TableSchema schema, List<byte[]> batches) {
        this.schema = schema;
        this.batches = batches;
    }

    /**
     * The times of one run.
     *
     * @param criticalNanos CPU time of the thread that used most: the wall time on otherwise idle
     *     cores
     * @param wallNanos from the start to the end of the last thread
     * @param table the resulting table
     */
    record Result(long criticalNanos, long wallNanos, TableShard table) {}

    Result run(int workers) throws Exception {
        TableShard table =
                new TableShard(
                        new ShardId(1, 0),
                        new TableVersions(schema, SchemaHistory.of(schema)),
                        new RowCache("rows", 0, () -> 0),
                        ParallelReads.of(new InMemoryObjectStore()));
        if (workers > 1) {
            table.useWorkers(workers, 0);
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(workers)) {
            CyclicBarrier start = new CyclicBarrier(workers + 1);
            List<Future<Long>> times = new ArrayList<>();
            for (int worker = 0; worker < workers; worker++) {
                int of = worker;
                Callable<Long> work =
                        () -> {
                            start.await();
                            long before = THREADS.getCurrentThreadCpuTime();
                            apply(table, of, workers);
                            return THREADS.getCurrentThreadCpuTime() - before;
                        };
                times.add(threads.submit(work));
            }
            start.await();
            long began = System.nanoTime();
            long critical = 0;
            for (Future<Long> time : times) {
                critical = Math.max(critical, time.get());
            }
            return new Result(critical, System.nanoTime() - began, table);
        }
    }

    private void apply(TableShard table, int worker, int workers) throws Exception {
        ObsoleteRows obsolete = new ObsoleteRows(new HashBucket(worker, workers));
        long lsn = 0;
        for (byte[] batch : batches) {
            lsn++;
            WriteBatchReader reader = new WriteBatchReader(batch);
            if (workers == 1) {
                table.apply(reader, lsn, NO_ROW_ID, lsn, 0);
            } else {
                table.applyPart(worker, reader, lsn, NO_ROW_ID, lsn, obsolete);
            }
        }
    }

    /** Ends the benchmark unless both tables have the same versions. */
    static void checkSame(TableShard expected, TableShard found) {
        Iterator<KeyedVersion> left = versions(expected);
        Iterator<KeyedVersion> right = versions(found);
        while (left.hasNext() && right.hasNext()) {
            KeyedVersion one = left.next();
            KeyedVersion other = right.next();
            if (one.compareTo(other) != 0 || !Arrays.equals(one.row(), other.row())) {
                throw new IllegalStateException(
                        "Expected apply workers to leave what serial apply leaves, found other versions at LSNs %d and %d"
                                .formatted(one.lsn(), other.lsn()));
            }
        }
        if (left.hasNext() || right.hasNext()) {
            throw new IllegalStateException(
                    "Expected as many versions of several apply workers as of one");
        }
    }

    private static Iterator<KeyedVersion> versions(TableShard table) {
        MemTable active = table.view().memTables().getFirst();
        return active.versions();
    }
}
