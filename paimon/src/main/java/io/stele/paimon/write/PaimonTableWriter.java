package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.index.BucketAssigner;
import org.apache.paimon.index.HashBucketAssigner;
import org.apache.paimon.index.SimpleHashBucketAssigner;
import org.apache.paimon.memory.MemoryPoolFactory;
import org.apache.paimon.options.MemorySize;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.DynamicBucketRowKeyExtractor;
import org.apache.paimon.table.sink.SinkRecord;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.jspecify.annotations.Nullable;

/**
 * The writer of one sink's rows through Paimon's library, to the file or the sorted buffer of each
 * row's bucket. In a table with dynamic buckets it is the only writer of its statement, and assigns
 * keys to buckets by Paimon's index. Confined to one thread.
 */
final class PaimonTableWriter {
    /** An estimate of the memory of an open file besides its rows. */
    private static final long OPEN_FILE_BYTES = 4 << 20;

    /** The size of Parquet's row groups, the largest blocks of the formats. */
    private static final long DEFAULT_BLOCK_BYTES = 128 << 20;

    private static final long COMMIT_IDENTIFIER = 1;

    private final FileStoreTable table;
    private final IOManager disk;
    private final WriteBufferPool pool;
    private final TableWriteImpl<?> write;
    private final @Nullable BucketAssigner assigner;
    private final @Nullable DynamicBucketRowKeyExtractor keys;
    private final Set<Bucket> buckets = new HashSet<>();
    private @Nullable List<CommitMessage> messages;
    private boolean closed;

    private record Bucket(BinaryRow partition, int bucket) {}

    /**
     * @param overwrite whether the rows replace earlier rows
     * @param disk closed with this writer
     */
    PaimonTableWriter(
            FileStoreTable table,
            String commitUser,
            boolean overwrite,
            IOManager disk,
            long maxBufferBytes) {
        this.table = requireNonNull(table, "table is null");
        this.disk = requireNonNull(disk, "disk is null");
        CoreOptions options = table.coreOptions();
        this.pool =
                new WriteBufferPool(
                        Math.min(maxBufferBytes, options.writeBufferSize()), options.pageSize());
        this.write =
                table.newWrite(commitUser)
                        .withIOManager(disk)
                        .withIgnorePreviousFiles(overwrite)
                        .withMemoryPoolFactory(new MemoryPoolFactory(pool));
        if (table.bucketMode() == BucketMode.HASH_DYNAMIC) {
            this.keys = new DynamicBucketRowKeyExtractor(table.schema());
            this.assigner = assigner(table, commitUser, overwrite);
        } else {
            this.keys = null;
            this.assigner = null;
        }
    }

    private static BucketAssigner assigner(
            FileStoreTable table, String commitUser, boolean overwrite) {
        CoreOptions options = table.coreOptions();
        return overwrite
                ? new SimpleHashBucketAssigner(
                        1,
                        0,
                        options.dynamicBucketTargetRowNum(),
                        options.dynamicBucketMaxBuckets())
                : new HashBucketAssigner(
                        table.snapshotManager(),
                        commitUser,
                        table.store().newIndexFileHandler(),
                        1,
                        1,
                        0,
                        options.dynamicBucketTargetRowNum(),
                        options.dynamicBucketMaxBuckets());
    }

    /** Writes a row, whose object the caller may reuse. */
    void write(InternalRow row) throws Exception {
        SinkRecord written;
        if (assigner == null) {
            written = write.writeAndReturn(row);
        } else {
            requireNonNull(keys).setRecord(row);
            int bucket = assigner.assign(keys.partition(), keys.trimmedPrimaryKey().hashCode());
            written = write.writeAndReturn(row, bucket);
        }
        if (written != null
                && !buckets.contains(new Bucket(written.partition(), written.bucket()))) {
            buckets.add(new Bucket(written.partition().copy(), written.bucket()));
        }
    }

    /** The disk space for rows that a sink buffers itself. */
    IOManager disk() {
        return disk;
    }

    /**
     * An estimate of the bytes of buffers and open files; an open file holds the rows of a block
     * until the block is full.
     *
     * @param rowBytes the bytes of all rows so far
     */
    long memoryBytes(long rowBytes) {
        if (closed) {
            return 0;
        }
        long files = openFiles();
        long rows = Math.min(rowBytes, files * blockBytes());
        return pool.allocatedBytes() + files * OPEN_FILE_BYTES + rows;
    }

    private long blockBytes() {
        MemorySize set = table.coreOptions().toConfiguration().get(CoreOptions.FILE_BLOCK_SIZE);
        return set == null ? DEFAULT_BLOCK_BYTES : set.getBytes();
    }

    private long openFiles() {
        // Sorted buffers become files one after the other
        int open = table.primaryKeys().isEmpty() ? table.coreOptions().writeMaxWritersToSpill() : 1;
        return Math.min(buckets.size(), open);
    }

    /** Closes all files and waits for compactions in progress. */
    List<CommitMessage> finish() throws Exception {
        List<CommitMessage> finished = write.prepareCommit(true, COMMIT_IDENTIFIER);
        messages = finished;
        close();
        return finished;
    }

    /** Deletes all files that were written. */
    void abort() throws Exception {
        try {
            if (messages == null && !closed && table.primaryKeys().isEmpty()) {
                // Writers of rows without keys forget their files when they are closed
                messages = write.prepareCommit(false, COMMIT_IDENTIFIER);
            }
        } finally {
            try {
                close();
            } finally {
                if (messages != null) {
                    WriteMessages.discard(table, messages);
                }
            }
        }
    }

    private void close() throws Exception {
        if (closed) {
            return;
        }
        closed = true;
        try (disk) {
            write.close();
        }
    }
}
