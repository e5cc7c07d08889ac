package io.stele.benchmarks;

import io.stele.engine.wal.DurableRecord;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.LocalLogFiles;
import io.stele.engine.wal.LogListener;
import io.stele.engine.wal.LogOptions;
import io.stele.engine.wal.LogPosition;
import io.stele.engine.wal.NodeLog;
import io.stele.engine.wal.RecordType;
import io.stele.engine.wal.RecoveredLog;
import io.stele.engine.wal.ReleasedRecords;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A JMH benchmark of the time from a log record's append to its durability, on the file system of
 * the temporary directory ({@code -Djava.io.tmpdir}). A record is a row of 1 KB or a batch of 1,000
 * such rows, appended by one writer or eight. The bare writes beside it append the same bytes to a
 * file and sync it, without a log around.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
public class BenchmarkNodeLog {
    private static final ShardId SHARD = new ShardId(0, 0);
    private static final int MAX_RECORD_BYTES = 1_024_000;

    @Param({"1024", "1024000"})
    public int recordBytes;

    private final Path directory;
    private final LocalLogFiles files;
    private final NodeLog log;
    private final FileChannel bare;
    private final byte[] record = new byte[MAX_RECORD_BYTES];
    private final ByteBuffer bareRecord = ByteBuffer.allocateDirect(MAX_RECORD_BYTES);

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

    public BenchmarkNodeLog() {
        try {
            directory = Files.createTempDirectory("stele-log");
            files = LocalLogFiles.open(directory);
            HybridClock clock = new HybridClock(System::currentTimeMillis);
            RecoveredLog recovered =
                    RecoveredLog.recover(
                            files, LogOptions.DEFAULT, clock, (shard, lsn, type, payload) -> {});
            log = NodeLog.start(recovered, new Silent(), Thread.ofPlatform().name("log").factory());
            bare =
                    FileChannel.open(
                            directory.resolve("bare"),
                            StandardOpenOption.CREATE_NEW,
                            StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (int i = 0; i < record.length; i++) {
            record[i] = (byte) (i * 31 + 7);
        }
        bareRecord.put(record);
    }

    /** Gives the disk back what the iteration wrote. */
    @TearDown(Level.Iteration)
    public void trim() throws IOException {
        log.trim(Map.of(SHARD, Lsn.MAX), ReleasedRecords.NONE);
        bare.truncate(0);
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
        log.close();
        files.close();
        bare.close();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /** One writer. */
    @Benchmark
    @Threads(1)
    public LogPosition oneWriter() {
        return append();
    }

    /** Eight writers, each waiting for its own record. */
    @Benchmark
    @Threads(8)
    public LogPosition eightWriters() {
        return append();
    }

    private LogPosition append() {
        return log.append(
                        SHARD,
                        RecordType.WRITE,
                        List.of(ByteBuffer.wrap(record, 0, recordBytes)),
                        null)
                .join();
    }

    /** The same bytes, written and synced by the caller. */
    @Benchmark
    @Threads(1)
    public long bareWriter() throws IOException {
        bareRecord.clear().limit(recordBytes);
        while (bareRecord.hasRemaining()) {
            bare.write(bareRecord);
        }
        bare.force(false);
        return bare.position();
    }
}
