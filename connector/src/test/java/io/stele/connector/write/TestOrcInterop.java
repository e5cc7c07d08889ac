package io.stele.connector.write;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.columnfile.orc.ColumnFileReader;
import io.stele.columnfile.orc.StoredColumnFile;
import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.columnfile.orc.write.ColumnFileSummary;
import io.stele.columnfile.orc.write.ColumnFileWriter;
import io.stele.connector.error.SteleErrorCode;
import io.stele.connector.handle.FileSplitFixture;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.cache.DecodedColumnCache;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.read.opening.FilePageSources;
import io.stele.connector.read.opening.ScanCaches;
import io.stele.connector.read.prune.FileBitmapIndexes;
import io.stele.connector.sidecar.CacheUse;
import io.stele.connector.type.AllTypes;
import io.stele.connector.type.ArrowBlocks;
import io.stele.connector.type.RowWriter;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.LocalObjectStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roaringbitmap.RoaringBitmap;

/**
 * Files of orc-core read by trino-orc and the other way round, with every type. Rows are compared
 * as bytes.
 */
final class TestOrcInterop {
    private static final TableSchema TABLE = AllTypes.table();
    private static final RowLayout LAYOUT = RowLayout.of(TABLE.columns());

    private static final OptionalInt CHECKSUMS = OptionalInt.of(FileChecksums.BLOCK_BYTES);

    @TempDir private Path directory;

    private final TrinoTypes types = new TrinoTypes(TESTING_TYPE_MANAGER);
    private LocalObjectStore store;

    @BeforeEach
    void open() throws IOException {
        store = new LocalObjectStore(directory);
    }

    @Test
    void trinoReadsWhatTheSidecarWrote() throws IOException {
        List<byte[]> rows = AllTypes.rows();
        SteleFileSplit split = sidecarFile(rows, new RoaringBitmap(), false);

        assertSameRows(scan(split, Long.MAX_VALUE), rows);
    }

    @Test
    void theSidecarReadsWhatTrinoWrote() throws IOException {
        List<byte[]> rows = AllTypes.rows();
        OrcFileWriter.Summary summary;
        try (OrcFileWriter file =
                OrcFileWriter.create(
                        store,
                        "t.orc",
                        TABLE.columns(),
                        TableOptions.NONE,
                        types,
                        OrcFileWriter.STRIPE_BYTES,
                        OrcFileWriter.Checksums.BESIDE)) {
            file.write(page(rows));
            summary = file.finish();
        }
        StoredColumnFile entry = new WorkerFile("t.orc", summary.sizeBytes(), summary.rowCount());
        List<byte[]> found = new ArrayList<>();
        try (ColumnFileCursor cursor =
                ColumnFileReader.open(store, entry, TABLE.columns()).cursor()) {
            while (cursor.advance()) {
                found.add(cursor.row().toByteArray());
                assertThat(cursor.lsn()).isEqualTo(5);
                assertThat(cursor.rowId()).isEqualTo(100 + cursor.ordinal());
            }
        }

        assertSameRows(found, rows);
        assertSameRows(
                scan(
                        new FileSplitFixture("t.orc", summary.sizeBytes())
                                .ofWorker(5, 100)
                                .checksums(CHECKSUMS)
                                .build(),
                        Long.MAX_VALUE),
                rows);
    }

    @Test
    void leavesOutDeletedAndYoungerRows() throws IOException {
        List<byte[]> rows = AllTypes.rows();
        // Row n has LSN n + 1
        SteleFileSplit split = sidecarFile(rows, RoaringBitmap.bitmapOf(0, 2), true);

        assertSameRows(scan(split, 4), List.of(rows.get(1), rows.get(3)));
        assertSameRows(scan(split, 2), List.of(rows.get(1)));
    }

    @Test
    void leavesOutExpiredRows() throws IOException {
        List<byte[]> rows = AllTypes.rows();
        SteleFileSplit split = sidecarFile(rows, RoaringBitmap.bitmapOf(0), true, 3);
        assertSameRows(scan(split, 4), List.of(rows.get(2), rows.get(3)));
    }

    @Test
    void damageIsNeverServed() throws IOException {
        List<byte[]> rows = AllTypes.rows();
        SteleFileSplit split = sidecarFile(rows, new RoaringBitmap(), false);
        byte[] good = store.readFully(split.path());
        Random random = new Random(4);
        for (int flip = 0; flip < 300; flip++) {
            byte[] bad = good.clone();
            bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
            store.put(split.path(), bad);
            assertThatThrownBy(() -> scan(split, Long.MAX_VALUE))
                    .isInstanceOfSatisfying(
                            TrinoException.class,
                            e ->
                                    assertThat(e.getErrorCode())
                                            .isEqualTo(
                                                    SteleErrorCode.STELE_CORRUPT_DATA
                                                            .toErrorCode()))
                    .hasMessageMatching(
                            "Expected checksum [0-9a-f]{8}, found [0-9a-f]{8} in s.orc at offset 0");
        }
        store.put(split.path(), good);
        assertSameRows(scan(split, Long.MAX_VALUE), rows);
    }

    private SteleFileSplit sidecarFile(List<byte[]> rows, RoaringBitmap deleted, boolean filterLsn)
            throws IOException {
        return sidecarFile(rows, deleted, filterLsn, 0);
    }

    private SteleFileSplit sidecarFile(
            List<byte[]> rows, RoaringBitmap deleted, boolean filterLsn, long fromLsn)
            throws IOException {
        ColumnFileSummary summary;
        try (ColumnFileWriter writer =
                ColumnFileWriter.create(store, "s.orc", TABLE, ColumnFileOptions.DEFAULT)) {
            BinaryRow view = new BinaryRow(LAYOUT);
            for (int index = 0; index < rows.size(); index++) {
                writer.add(view.wrap(rows.get(index)), index + 1, index);
            }
            summary = writer.finish();
        }
        store.put(WrittenFile.checksumsPath("s.orc"), summary.end().checksums());
        return new FileSplitFixture("s.orc", summary.sizeBytes())
                .filterLsn(filterLsn, fromLsn)
                .deleted(deleted)
                .checksums(CHECKSUMS)
                .build();
    }

    /** Three times: decoded, decoded and kept, and from memory. */
    private List<byte[]> scan(SteleFileSplit split, long readLsn) throws IOException {
        FilePageSources sources =
                new FilePageSources(
                        new FileMetadataCache(_ -> store, _ -> Optional.empty(), 1 << 20),
                        new DecodedColumnCache(16 << 20),
                        new FileBitmapIndexes(store),
                        types,
                        Runnable::run);
        List<byte[]> rows = scan(sources, split, readLsn);
        for (int again = 0; again < 2; again++) {
            assertSameRows(scan(sources, split, readLsn), rows);
        }
        return rows;
    }

    private List<byte[]> scan(FilePageSources sources, SteleFileSplit split, long readLsn)
            throws IOException {
        List<SteleColumnHandle> columns =
                TABLE.columns().stream()
                        .map(
                                column ->
                                        new SteleColumnHandle(
                                                column.id(),
                                                column.name(),
                                                types.toTrino(column.type())))
                        .toList();
        SteleTableHandle handle = new SteleTableHandle(TABLE, "r", readLsn);
        RowWriter writer = new RowWriter(TABLE.columns(), types);
        int[] channels = IntStream.range(0, columns.size()).toArray();
        List<byte[]> rows = new ArrayList<>();
        try (ConnectorPageSource source =
                sources.open(
                        BigintFile.QUERY_ID,
                        handle,
                        split,
                        columns,
                        TupleDomain.all(),
                        ScanCaches.all(CacheUse.FILL),
                        MemoryContext.NO_LIMIT,
                        _ -> {})) {
            while (!source.isFinished()) {
                SourcePage page = source.getNextSourcePage();
                if (page != null) {
                    Block[] blocks = RowWriter.blocks(page.getPage(), channels);
                    for (int position = 0; position < page.getPositionCount(); position++) {
                        int length = writer.write(blocks, position);
                        rows.add(Arrays.copyOf(writer.array(), length));
                    }
                }
            }
        }
        return rows;
    }

    /** Rows as Trino's blocks, by way of Arrow. */
    private Page page(List<byte[]> rows) {
        List<ArrowField> fields = ArrowSchemas.fields(TABLE.columns());
        ArrowBatchEncoder encoder = ArrowBatchEncoder.forRows(fields, LAYOUT);
        BinaryRow view = new BinaryRow(LAYOUT);
        rows.forEach(row -> encoder.append(view.wrap(row)));
        ArrowMessage message = encoder.finish();
        ArrowBatch batch =
                new ArrowBatchDecoder(fields).decode(message.header(), message.joinedBody());
        Block[] blocks = new Block[fields.size()];
        for (int index = 0; index < blocks.length; index++) {
            blocks[index] =
                    ArrowBlocks.toBlock(
                            batch.column(index), types.toTrino(fields.get(index).type()));
        }
        return new Page(rows.size(), blocks);
    }

    private static void assertSameRows(List<byte[]> found, List<byte[]> expected) {
        assertThat(found).hasSameSizeAs(expected);
        for (int index = 0; index < found.size(); index++) {
            assertThat(found.get(index))
                    .as(
                            "row %s: found %s, expected %s",
                            index, objects(found.get(index)), objects(expected.get(index)))
                    .isEqualTo(expected.get(index));
        }
    }

    private static List<Object> objects(byte[] row) {
        return Rows.toObjects(new BinaryRow(LAYOUT).wrap(row));
    }

    /** A file as a worker writes it: its commit says LSN and row ids of all rows. */
    private record WorkerFile(String path, long sizeBytes, long rowCount)
            implements StoredColumnFile {
        @Override
        public Optional<Lsn> ingestLsn() {
            return Optional.of(new Lsn(5));
        }

        @Override
        public OptionalLong firstRowId() {
            return OptionalLong.of(100);
        }

        @Override
        public OptionalInt checksumBlockBytes() {
            return CHECKSUMS;
        }

        @Override
        public Optional<IndexedMetadata> indexedMetadata() {
            return Optional.empty();
        }

        @Override
        public Optional<String> keyIndexPath() {
            return Optional.empty();
        }
    }
}
