package io.stele.benchmarks.writeamp;

import io.stele.benchmarks.ingest.UserRows;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The peer in the write amplification benchmark, RocksDB in this process, with leveled compaction,
 * LZ4, and levels and files as large as Stele's.
 */
final class RocksWrites {
    private static final int BATCH_ROWS = 100;
    private static final int POLL_MILLIS = 50;
    private static final int IDLE_POLLS = 20;

    static {
        RocksDB.loadLibrary();
    }

    private RocksWrites() {}

    static Written run(Workload workload, Path directory) throws Exception {
        Files.createDirectories(directory);
        long memTable = workload.memTableBytes();
        try (Statistics statistics = new Statistics();
                Options options =
                        new Options()
                                .setCreateIfMissing(true)
                                .setStatistics(statistics)
                                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                                .setWriteBufferSize(memTable)
                                .setMaxWriteBufferNumber(4)
                                .setLevel0FileNumCompactionTrigger(4)
                                .setMaxBytesForLevelBase(4 * memTable)
                                .setTargetFileSizeBase(memTable / 2)
                                .setLevelCompactionDynamicLevelBytes(false);
                RocksDB database = RocksDB.open(options, directory.toString())) {
            write(database, workload);
            settle(database);
            return new Written(
                    statistics.getTickerCount(TickerType.WAL_FILE_BYTES),
                    statistics.getTickerCount(TickerType.FLUSH_WRITE_BYTES),
                    statistics.getTickerCount(TickerType.COMPACT_WRITE_BYTES),
                    0,
                    database.getLongProperty("rocksdb.live-sst-files-size"));
        }
    }

    private static void write(RocksDB database, Workload workload) throws RocksDBException {
        try (WriteOptions options = new WriteOptions();
                WriteBatch batch = new WriteBatch()) {
            workload.forEach(
                    (key, value) -> {
                        batch.put(
                                UserRows.key(key).getBytes(StandardCharsets.ISO_8859_1),
                                workload.content().bytes(value));
                        if (batch.count() == BATCH_ROWS) {
                            database.write(options, batch);
                            batch.clear();
                        }
                    });
            database.write(options, batch);
        }
    }

    private static void settle(RocksDB database) throws RocksDBException, InterruptedException {
        try (FlushOptions options = new FlushOptions().setWaitForFlush(true)) {
            database.flush(options);
        }
        for (int idle = 0; idle < IDLE_POLLS; idle++) {
            boolean busy =
                    database.getLongProperty("rocksdb.compaction-pending") > 0
                            || database.getLongProperty("rocksdb.num-running-compactions") > 0;
            idle = busy ? 0 : idle;
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }
}
