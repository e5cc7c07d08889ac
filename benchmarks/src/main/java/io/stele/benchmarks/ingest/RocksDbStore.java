package io.stele.benchmarks.ingest;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The peer in the ingest benchmark, RocksDB in this process, with a WriteBatch for each batch,
 * synced before it is acknowledged.
 */
final class RocksDbStore implements IngestStore {
    private static final int BLOOM_BITS = 10;

    private final UserRows rows;
    private final Options options;
    private final WriteOptions writeOptions;
    private final RocksDB database;

    RocksDbStore(UserRows rows, Path directory) throws RocksDBException {
        this.rows = rows;
        options =
                new Options()
                        .setCreateIfMissing(true)
                        .setErrorIfExists(true)
                        .setCompressionType(CompressionType.LZ4_COMPRESSION)
                        .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
                        .setTableFormatConfig(
                                new BlockBasedTableConfig()
                                        .setFilterPolicy(new BloomFilter(BLOOM_BITS)));
        writeOptions = new WriteOptions().setSync(true);
        database = RocksDB.open(options, directory.toString());
    }

    @Override
    public String name() {
        return "rocksdb";
    }

    @Override
    public BatchWriter writer() {
        return new BatchWriter() {
            private final WriteBatch batch = new WriteBatch();

            @Override
            public CompletableFuture<?> write(long first, int count) throws RocksDBException {
                for (long number = first; number < first + count; number++) {
                    batch.put(
                            UserRows.key(number).getBytes(StandardCharsets.ISO_8859_1),
                            rows.bytes(number));
                }
                database.write(writeOptions, batch);
                batch.clear();
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public void close() {
                batch.close();
            }
        };
    }

    @Override
    public long otherCpuNanos() {
        return 0;
    }

    @Override
    public long count() {
        long count = 0;
        try (RocksIterator iterator = database.newIterator()) {
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                count++;
            }
        }
        return count;
    }

    @Override
    public void close() {
        database.close();
        writeOptions.close();
        options.close();
    }
}
