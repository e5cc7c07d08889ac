package io.stele.benchmarks.get;

import io.stele.benchmarks.ingest.UserRows;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The store of the point read benchmark that is RocksDB, in this process, with LZ4, a Bloom filter
 * of 10 bits a key, and caches of Stele's size. Compaction is off, since nothing is compacted in
 * Stele either; reads are from one memtable, or from the one file that it was flushed to.
 */
final class RocksLookupStore implements LookupStore {
    private static final int BLOOM_BITS = 10;
    private static final int BATCH_ROWS = 1_000;
    private static final long MEMTABLE_BYTES = 8L << 30;

    static {
        RocksDB.loadLibrary();
    }

    private final String name;
    private final UserRows rows;
    private final Options options;
    private final LRUCache blocks;
    private final LRUCache rowCache;
    private final RocksDB database;
    private final byte[][] keys;

    /**
     * @param rowCacheBytes 0: no row cache; otherwise the database is opened for reading only,
     *     since another instance has it
     */
    RocksLookupStore(
            String name,
            UserRows rows,
            Path directory,
            int rowCount,
            long blockCacheBytes,
            long rowCacheBytes)
            throws Exception {
        this.name = name;
        this.rows = rows;
        Files.createDirectories(directory);
        blocks = new LRUCache(blockCacheBytes);
        rowCache = new LRUCache(Math.max(1, rowCacheBytes));
        options =
                new Options()
                        .setCreateIfMissing(true)
                        .setCompressionType(CompressionType.LZ4_COMPRESSION)
                        .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
                        .setWriteBufferSize(MEMTABLE_BYTES)
                        .setDisableAutoCompactions(true)
                        .setTableFormatConfig(
                                new BlockBasedTableConfig()
                                        .setBlockCache(blocks)
                                        .setFilterPolicy(new BloomFilter(BLOOM_BITS)));
        if (rowCacheBytes > 0) {
            options.setRowCache(rowCache);
            database = RocksDB.openReadOnly(options, directory.toString());
        } else {
            database = RocksDB.open(options, directory.toString());
        }
        keys = new byte[rowCount][];
        for (int number = 0; number < rowCount; number++) {
            keys[number] = UserRows.key(number).getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void load(long rowCount) throws RocksDBException {
        try (WriteOptions writeOptions = new WriteOptions().setDisableWAL(true);
                WriteBatch batch = new WriteBatch()) {
            for (int number = 0; number < rowCount; number++) {
                batch.put(keys[number], rows.bytes(number));
                if (batch.count() == BATCH_ROWS || number == rowCount - 1) {
                    database.write(writeOptions, batch);
                    batch.clear();
                }
            }
        }
    }

    @Override
    public void flush() throws RocksDBException {
        try (FlushOptions flushOptions = new FlushOptions().setWaitForFlush(true)) {
            database.flush(flushOptions);
        }
    }

    @Override
    public int get(int number) throws RocksDBException {
        return fields(number).length;
    }

    @Override
    public byte[] fields(int number) throws RocksDBException {
        byte[] value = database.get(keys[number]);
        if (value == null) {
            throw new IllegalStateException(
                    "Expected row " + number + ", found none for " + Arrays.toString(keys[number]));
        }
        return value;
    }

    @Override
    public void close() {
        database.close();
        options.close();
        rowCache.close();
        blocks.close();
    }
}
