package io.stele.connector.write;

import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.KeyIndexSummary;
import io.stele.columnfile.index.KeyIndexWriter;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.connector.handle.FileSplitFixture;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleSample;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.opening.FilePageSources;
import io.stele.connector.read.opening.ScanCaches;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.status.ReadCounters;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.BigintType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A column file of random bigints as a worker writes it, and its scans. */
final class BigintFile {
    static final int PAGE_ROWS = 8 * 1024;
    static final String QUERY_ID = "20260728_000000_00000_abcde";
    private static final AtomicReference<@Nullable Written> last = new AtomicReference<>();

    private final TableSchema table;
    private final TrinoTypes types;
    private final SteleFileSplit split;
    private final OrcFileWriter.Summary summary;
    private final long[] sums;

    private BigintFile(
            TableSchema table,
            TrinoTypes types,
            SteleFileSplit split,
            OrcFileWriter.Summary summary,
            long[] sums) {
        this.table = table;
        this.types = types;
        this.split = split;
        this.summary = summary;
        this.sums = sums;
    }

    /**
     * Writes a file into a store. The last one is kept, since tests of a class begin with the same.
     *
     * @param pages of 8,192 rows
     */
    static BigintFile write(
            ObjectStore store, String path, int columns, int pages, TrinoTypes types)
            throws IOException {
        Shape shape = new Shape(path, columns, pages);
        Written written = last.get();
        if (written == null || !written.shape().equals(shape)) {
            written = encode(shape, types);
            last.set(written);
        }
        for (Map.Entry<String, byte[]> object : written.objects().entrySet()) {
            store.put(object.getKey(), object.getValue());
        }
        return written.file();
    }

    private record Shape(String path, int columns, int pages) {}

    private record Written(Shape shape, Map<String, byte[]> objects, BigintFile file) {}

    private static Written encode(Shape shape, TrinoTypes types) throws IOException {
        InMemoryObjectStore store = new InMemoryObjectStore();
        TableSchema table = table(shape.columns());
        Random random = new Random(3);
        long[] sums = new long[shape.columns()];
        OrcFileWriter.Summary summary;
        try (OrcFileWriter file =
                OrcFileWriter.create(
                        store,
                        shape.path(),
                        table.columns(),
                        TableOptions.NONE,
                        types,
                        OrcFileWriter.STRIPE_BYTES,
                        OrcFileWriter.Checksums.BESIDE)) {
            for (int page = 0; page < shape.pages(); page++) {
                file.write(new Page(PAGE_ROWS, blocks(random, sums)));
            }
            summary = file.finish();
        }
        Map<String, byte[]> objects = new HashMap<>();
        for (ObjectEntry object : store.list("")) {
            objects.put(object.path(), store.readFully(object.path()));
        }
        return new Written(
                shape,
                objects,
                new BigintFile(
                        table, types, split(shape.path(), summary.sizeBytes()), summary, sums));
    }

    private static TableSchema table(int columns) {
        return TableSchema.builder("s", "t")
                .id(new TableId(7))
                .columns(
                        IntStream.rangeClosed(1, columns)
                                .mapToObj(
                                        id ->
                                                new ColumnSchema(
                                                        id, "c" + id, DataType.parse("bigint")))
                                .toList())
                .shardCount(4)
                .build();
    }

    private static Block[] blocks(Random random, long[] sums) {
        Block[] blocks = new Block[sums.length];
        for (int column = 0; column < blocks.length; column++) {
            long[] values = new long[PAGE_ROWS];
            for (int row = 0; row < PAGE_ROWS; row++) {
                values[row] = random.nextLong();
                sums[column] += values[row];
            }
            blocks[column] = new LongArrayBlock(PAGE_ROWS, Optional.empty(), values);
        }
        return blocks;
    }

    private static SteleFileSplit split(String path, long sizeBytes) {
        return new FileSplitFixture(path, sizeBytes)
                .ofWorker(5, 100)
                .checksums(OptionalInt.of(FileChecksums.BLOCK_BYTES))
                .build();
    }

    /** The same, of which the sidecar has the metadata. */
    BigintFile fresh() {
        SteleFileSplit known =
                new FileSplitFixture(path(), sizeBytes())
                        .ofWorker(5, 100)
                        .checksums(OptionalInt.of(FileChecksums.BLOCK_BYTES))
                        .fresh()
                        .build();
        return new BigintFile(table, types, known, summary, sums);
    }

    /**
     * The same with its metadata in a key index instead of checksums beside it.
     *
     * @param metadata what is stored of them
     */
    BigintFile indexed(ObjectStore store, FileMetadata metadata) throws IOException {
        store.delete(WrittenFile.checksumsPath(path()));
        KeyIndexSummary index;
        try (KeyIndexWriter keys =
                KeyIndexWriter.byRank(
                        store, WrittenFile.keyIndexPath(path()), BlockFileOptions.KEY_INDEX)) {
            for (long row = 0; row < summary.rowCount(); row++) {
                keys.add(ByteBuffer.allocate(Long.BYTES).putLong(row * row).array());
            }
            index = keys.finish(Optional.of(metadata.encodeStored()));
        }
        SteleFileSplit indexed =
                new FileSplitFixture(path(), sizeBytes())
                        .ofWorker(5, 100)
                        .indexed(
                                new IndexedMetadata(
                                        index.sizeBytes(), index.metadataBytes().getAsInt()))
                        .build();
        return new BigintFile(table, types, indexed, summary, sums);
    }

    long sizeBytes() {
        return split.sizeBytes();
    }

    String path() {
        return split.path();
    }

    /** Bytes of the key index from its metadata to its end. */
    int metadataBytes() {
        return split.indexedMetadata().orElseThrow().metadataBytes();
    }

    OrcFileWriter.Summary summary() {
        return summary;
    }

    /** Of all values of a column, with overflow. */
    long sum(int column) {
        return sums[column];
    }

    ConnectorPageSource open(FilePageSources sources, int[] columns, ScanCaches caches) {
        return open(sources, columns, caches, _ -> {});
    }

    /**
     * @param ended called with the counters of the scan
     */
    ConnectorPageSource open(
            FilePageSources sources,
            int[] columns,
            ScanCaches caches,
            Consumer<ReadCounters> ended) {
        return open(
                sources, new SteleTableHandle(table, "r", Long.MAX_VALUE), columns, caches, ended);
    }

    /** A scan of a sample that has no row of the file. */
    ConnectorPageSource openEmptySample(
            FilePageSources sources, ScanCaches caches, Consumer<ReadCounters> ended) {
        SteleTableHandle all = new SteleTableHandle(table, "r", Long.MAX_VALUE);
        return open(sources, all.withSample(new SteleSample(0, 1)), new int[] {0}, caches, ended);
    }

    private ConnectorPageSource open(
            FilePageSources sources,
            SteleTableHandle handle,
            int[] columns,
            ScanCaches caches,
            Consumer<ReadCounters> ended) {
        return sources.open(
                QUERY_ID,
                handle,
                split,
                IntStream.of(columns)
                        .mapToObj(table.columns()::get)
                        .map(
                                column ->
                                        new SteleColumnHandle(
                                                column.id(),
                                                column.name(),
                                                types.toTrino(column.type())))
                        .toList(),
                TupleDomain.all(),
                caches,
                MemoryContext.NO_LIMIT,
                ended);
    }

    void openAhead(
            FilePageSources sources, TupleDomain<SteleColumnHandle> constraint, ScanCaches caches) {
        sources.openAhead(
                QUERY_ID,
                new SteleTableHandle(table, "r", Long.MAX_VALUE),
                split,
                constraint,
                caches);
    }

    /** Rows whose first column has a value. */
    TupleDomain<SteleColumnHandle> firstColumnIs(long value) {
        ColumnSchema column = table.columns().getFirst();
        return TupleDomain.withColumnDomains(
                Map.of(
                        new SteleColumnHandle(
                                column.id(), column.name(), types.toTrino(column.type())),
                        Domain.singleValue(BigintType.BIGINT, value)));
    }

    /** The sum of a column, by a scan of it alone. */
    long scan(FilePageSources sources, int column, ScanCaches caches)
            throws IOException, InterruptedException, ExecutionException {
        return scan(sources, column, caches, _ -> {});
    }

    /**
     * The same.
     *
     * @param ended called with the counters of the scan
     */
    long scan(FilePageSources sources, int column, ScanCaches caches, Consumer<ReadCounters> ended)
            throws IOException, InterruptedException, ExecutionException {
        long found = 0;
        try (ConnectorPageSource source = open(sources, new int[] {column}, caches, ended)) {
            while (!source.isFinished()) {
                source.isBlocked().get();
                SourcePage page = source.getNextSourcePage();
                found += page == null ? 0 : sum(page);
            }
        }
        return found;
    }

    /** Of a page's first column. */
    static long sum(SourcePage page) {
        long sum = 0;
        Block block = page.getBlock(0);
        for (int position = 0; position < page.getPositionCount(); position++) {
            sum += BigintType.BIGINT.getLong(block, position);
        }
        return sum;
    }
}
