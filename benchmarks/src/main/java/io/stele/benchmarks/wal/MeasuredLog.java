package io.stele.benchmarks.wal;

import io.stele.benchmarks.servers.Latencies;
import io.stele.engine.wal.DurableRecord;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.LogFiles;
import io.stele.engine.wal.LogId;
import io.stele.engine.wal.LogListener;
import io.stele.engine.wal.LogOptions;
import io.stele.engine.wal.NodeLog;
import io.stele.engine.wal.RecordType;
import io.stele.engine.wal.RecoveredLog;
import io.stele.engine.wal.ReleasedRecords;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A write-ahead log in this process under a load of writers, each of which waits until its record
 * is durable before it appends the next.
 */
final class MeasuredLog implements AutoCloseable {
    private static final ShardId SHARD = new ShardId(0, 0);

    private final NodeLog log;
    private final byte[] record;

    private static final class Silent implements LogListener {
        @Override
        public void onDurable(ShardId shard, List<DurableRecord> records) {
            // the future is what is measured
        }

        @Override
        public void onFailure(SteleException cause) {
            // the future fails as well
        }
    }

    MeasuredLog(LogFiles files, LogOptions options, int recordBytes) throws IOException {
        files.takeOver(1, LogId.NONE);
        log =
                NodeLog.start(
                        RecoveredLog.recover(
                                files,
                                options,
                                new HybridClock(System::currentTimeMillis),
                                (shard, lsn, type, payload) -> {}),
                        new Silent(),
                        Thread.ofPlatform().name("log").factory());
        record = new byte[recordBytes];
        for (int i = 0; i < record.length; i++) {
            record[i] = (byte) (i * 31 + 7);
        }
    }

    /** The measurements of some writers. */
    record Result(Latencies latencies, double recordsPerSecond, double recordsPerGroup) {}

    /**
     * @param nanos how long new records are begun
     */
    Result run(int writers, long nanos) throws Exception {
        long groups = log.status().groups();
        Latencies latencies = new Latencies();
        long start = System.nanoTime();
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                running.add(threads.submit(() -> write(latencies, start + nanos)));
            }
            for (Future<?> writer : running) {
                writer.get();
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        long count = latencies.count();
        Result result =
                new Result(
                        latencies,
                        count / seconds,
                        (double) count / (log.status().groups() - groups));
        log.trim(Map.of(SHARD, Lsn.MAX), ReleasedRecords.NONE);
        return result;
    }

    private void write(Latencies latencies, long end) {
        for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
            log.append(SHARD, RecordType.WRITE, List.of(ByteBuffer.wrap(record)), null).join();
            latencies.record(System.nanoTime() - start);
        }
    }

    @Override
    public void close() {
        log.close();
    }
}
