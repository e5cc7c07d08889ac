package io.stele.benchmarks.manifest;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.apache.paimon.data.BinaryArray;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryRowWriter;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.options.MemorySize;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.utils.SegmentsCache;

/**
 * The peer in the manifest benchmark, a table of Apache Paimon with the same list of files, whose
 * scans read one partition and bucket. Files are named and never written: planning does not open
 * them. In a folder of its own, deleted with {@link #close}.
 *
 * <p>Its cache of manifests has no limit ({@code cache.manifest.max-memory}), and takes files of
 * all sizes, which it does not by default.
 */
public final class PaimonManifests implements AutoCloseable {
    private static final int FILES_OF_COMMIT = 5_000;
    private static final long LARGEST = 4L << 30;

    private final java.nio.file.Path folder;
    private final Path location;
    private final CountedFiles files = new CountedFiles();
    private final int partitions;
    private final int buckets;
    private final int columns;

    private PaimonManifests(java.nio.file.Path folder, int partitions, int buckets, int columns) {
        this.folder = requireNonNull(folder, "folder is null");
        this.location = new Path(folder.resolve("table").toUri());
        this.partitions = partitions;
        this.buckets = buckets;
        this.columns = columns;
    }

    /**
     * Writes a table of {@code files} files, in commits of 5,000 that have files of all partitions
     * and buckets.
     */
    static PaimonManifests write(int files, int partitions, int buckets, int columns)
            throws Exception {
        PaimonManifests table =
                new PaimonManifests(
                        Files.createTempDirectory("paimon-manifests"),
                        partitions,
                        buckets,
                        columns);
        table.create(files);
        return table;
    }

    /**
     * Writes the same table as {@code table} in a folder that the caller keeps, partitioned by
     * {@code day}. Of a partition and a bucket no two files have a value of {@code c0} in common.
     */
    public static void writeTo(
            java.nio.file.Path folder, int files, int partitions, int buckets, int columns)
            throws Exception {
        new PaimonManifests(folder, partitions, buckets, columns).create(files);
    }

    private void create(int fileCount) throws Exception {
        Schema.Builder schema =
                Schema.newBuilder()
                        .column("day", DataTypes.INT())
                        .partitionKeys("day")
                        .option("bucket", Integer.toString(buckets))
                        .option("bucket-key", "c0");
        for (int column = 0; column < columns; column++) {
            schema.column("c" + column, DataTypes.BIGINT());
        }
        new SchemaManager(files, location).createTable(schema.build());
        SplittableRandom random = new SplittableRandom(7);
        try (TableCommitImpl commit = open(false).newCommit("benchmark")) {
            for (int done = 0; done < fileCount; done += FILES_OF_COMMIT) {
                List<CommitMessage> messages = new ArrayList<>();
                for (int i = done; i < Math.min(fileCount, done + FILES_OF_COMMIT); i++) {
                    messages.add(
                            new CommitMessageImpl(
                                    partition(i % partitions),
                                    i / partitions % buckets,
                                    buckets,
                                    new DataIncrement(
                                            List.of(file(random, i / partitions / buckets)),
                                            List.of(),
                                            List.of()),
                                    CompactIncrement.emptyIncrement()));
                }
                commit.commit(done, messages);
            }
        }
    }

    private static BinaryRow partition(int day) {
        BinaryRow row = new BinaryRow(1);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeInt(0, day);
        writer.complete();
        return row;
    }

    private DataFileMeta file(SplittableRandom random, int number) {
        BinaryRow min = new BinaryRow(columns + 1);
        BinaryRow max = new BinaryRow(columns + 1);
        BinaryRowWriter mins = new BinaryRowWriter(min);
        BinaryRowWriter maxs = new BinaryRowWriter(max);
        mins.writeInt(0, 0);
        maxs.writeInt(0, 0);
        Long[] nulls = new Long[columns + 1];
        nulls[0] = 0L;
        for (int column = 1; column <= columns; column++) {
            long from = column == 1 ? (long) number << 20 : random.nextLong(1L << 40);
            mins.writeLong(column, from);
            maxs.writeLong(column, from + random.nextInt(1 << 20));
            nulls[column] = 0L;
        }
        mins.complete();
        maxs.complete();
        return DataFileMeta.forAppend(
                "data-%016x%016x-0.orc".formatted(random.nextLong(), random.nextLong()),
                64_000_000L + random.nextInt(1_000_000),
                1_000_000L,
                new SimpleStats(min, max, BinaryArray.fromLongArray(nulls)),
                0,
                0,
                0,
                List.of(),
                null,
                FileSource.APPEND,
                null,
                null,
                null,
                null);
    }

    /**
     * The table as a newly started process sees it.
     *
     * @param keeps whether it caches manifests
     */
    FileStoreTable open(boolean keeps) {
        FileStoreTable table = FileStoreTableFactory.create(files, location);
        if (keeps) {
            table.setManifestCache(
                    SegmentsCache.create(MemorySize.ofBytes(LARGEST), Long.MAX_VALUE));
        }
        return table;
    }

    /** The number of files in a plan of one partition and bucket. */
    static long plan(FileStoreTable table, int partition, int bucket) {
        long found = 0;
        for (Split split :
                table.newReadBuilder()
                        .withPartitionFilter(Map.of("day", Integer.toString(partition)))
                        .withBucket(bucket)
                        .newScan()
                        .plan()
                        .splits()) {
            found += ((DataSplit) split).dataFiles().size();
        }
        return found;
    }

    /** The requests to the store since {@link #reset}: objects opened, checked or listed. */
    long requests() {
        return files.requests.sum();
    }

    /** Bytes read since {@link #reset}. */
    long bytes() {
        return files.bytes.sum();
    }

    void reset() {
        files.requests.reset();
        files.bytes.reset();
    }

    @Override
    public void close() throws IOException {
        List<java.nio.file.Path> all;
        try (Stream<java.nio.file.Path> found = Files.walk(folder)) {
            all = found.sorted(Comparator.reverseOrder()).toList();
        }
        for (java.nio.file.Path path : all) {
            Files.delete(path);
        }
    }

    /** A folder whose reads are counted. Thread-safe. */
    private static final class CountedFiles extends LocalFileIO {
        private static final long serialVersionUID = 1L;

        private final LongAdder requests = new LongAdder();
        private final LongAdder bytes = new LongAdder();

        @Override
        public SeekableInputStream newInputStream(Path path) throws IOException {
            requests.increment();
            return new Counted(super.newInputStream(path), bytes);
        }

        @Override
        public FileStatus getFileStatus(Path path) throws IOException {
            requests.increment();
            return super.getFileStatus(path);
        }

        @Override
        public FileStatus[] listStatus(Path path) throws IOException {
            requests.increment();
            return super.listStatus(path);
        }

        @Override
        public boolean exists(Path path) throws IOException {
            requests.increment();
            return super.exists(path);
        }
    }

    private static final class Counted extends SeekableInputStream {
        private final SeekableInputStream in;
        private final LongAdder bytes;

        Counted(SeekableInputStream in, LongAdder bytes) {
            this.in = in;
            this.bytes = bytes;
        }

        @Override
        public void seek(long position) throws IOException {
            in.seek(position);
        }

        @Override
        public long getPos() throws IOException {
            return in.getPos();
        }

        @Override
        public int read() throws IOException {
            int value = in.read();
            bytes.add(value < 0 ? 0 : 1);
            return value;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int count = in.read(buffer, offset, length);
            bytes.add(Math.max(0, count));
            return count;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
