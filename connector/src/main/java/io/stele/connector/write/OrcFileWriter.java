package io.stele.connector.write;

import static io.airlift.units.DataSize.Unit.KILOBYTE;
import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static io.trino.spi.type.BigintType.BIGINT;
import static java.util.Objects.requireNonNull;

import io.airlift.units.DataSize;
import io.stele.columnfile.metadata.ChecksummingWriter;
import io.stele.columnfile.metadata.FileMetadataBytes;
import io.stele.connector.type.OrcColumns;
import io.stele.connector.type.OrcTypes;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.FileCompression;
import io.stele.protocol.schema.TableOptions;
import io.trino.orc.OrcWriteValidation.OrcWriteValidationMode;
import io.trino.orc.OrcWriter;
import io.trino.orc.OrcWriterOptions;
import io.trino.orc.OrcWriterStats;
import io.trino.orc.metadata.ColumnMetadata;
import io.trino.orc.metadata.CompressionKind;
import io.trino.orc.metadata.OrcType;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * A writer of one ORC column file into the warehouse, with checksums, bitmap index and sketches;
 * the file is visible when {@link #finish} returns. Confined to one thread.
 */
final class OrcFileWriter implements AutoCloseable {
    // 8,192 rows: what trino-orc reads as one page, so that no page ends early at a row group
    private static final int ROW_GROUP_ROWS = 8_192;

    /**
     * The bytes of a stripe, the unit of parallel reads, of which a split has about one. In smaller
     * stripes, the streams of a column are some hundred kB, and a scan waits more for requests than
     * for bytes.
     */
    static final int STRIPE_BYTES = 32 << 20;

    // A lookup by key decompresses a chunk of each stream and reads the dictionaries whole: what
    // scans hardly feel costs it milliseconds, so chunks are those of ColumnFileOptions, and text
    // that rarely repeats has no dictionary.
    private static final OrcWriterOptions OPTIONS =
            new OrcWriterOptions()
                    .withRowGroupMaxRowCount(ROW_GROUP_ROWS)
                    .withDictionaryMaxMemory(DataSize.of(1, MEGABYTE))
                    .withMaxCompressionBufferSize(DataSize.of(64, KILOBYTE));

    // The rows by which hidden columns are chosen; as many as in the sidecar
    private static final int SAMPLE_ROWS = 4_096;

    private final List<ColumnSchema> columns;
    private final List<OrcTypes.Mapping> mappings;
    private final ObjectStore warehouse;
    private final String path;
    private final ChecksummingWriter object;
    private final WarehouseOrcDataSink sink;
    private final BitmapRows bitmaps;
    private final BlockSketches sketches;
    private final CompressionKind compression;
    private final int stripeBytes;
    private final List<Block[]> sample = new ArrayList<>(); // until there are enough
    private int sampleRows;
    private Optional<Encoder> encoder = Optional.empty(); // once there is a sample

    private OrcFileWriter(
            List<ColumnSchema> columns,
            List<OrcTypes.Mapping> mappings,
            ObjectStore warehouse,
            String path,
            FileCompression compression,
            int stripeBytes,
            BitmapRows bitmaps,
            Checksums checksums)
            throws IOException {
        this.columns = columns;
        this.warehouse = warehouse;
        this.path = path;
        this.bitmaps = bitmaps;
        this.mappings = mappings;
        this.compression = kind(compression);
        this.stripeBytes = stripeBytes;
        this.sketches = new BlockSketches(columns, mappings);
        this.object =
                switch (checksums) {
                    case BESIDE -> ChecksummingWriter.create(warehouse, path);
                    case IN_KEY_INDEX -> ChecksummingWriter.createAlone(warehouse, path);
                };
        this.sink = new WarehouseOrcDataSink(object);
    }

    /** The place where the checksums of a file are stored. */
    enum Checksums {
        /** In a separate object. */
        BESIDE,

        /** In the key index, which the caller writes with the checksums of the summary. */
        IN_KEY_INDEX
    }

    /** The ORC writer, and the columns that it has besides those of the table. */
    private record Encoder(OrcWriter orc, ColumnMetadata<OrcType> types, ScaledBlocks scaled) {
        void write(Block[] blocks) throws IOException {
            orc.write(new Page(blocks[0].getPositionCount(), scaled.with(blocks)));
        }
    }

    /**
     * @param columns of the pages that follow
     * @param options of the table: its compression, and which columns have a bitmap index
     * @param stripeBytes most bytes of an encoded stripe, which may end from seven eighths of them
     *     on
     */
    static OrcFileWriter create(
            ObjectStore warehouse,
            String path,
            List<ColumnSchema> columns,
            TableOptions options,
            TrinoTypes types,
            int stripeBytes,
            Checksums checksums)
            throws IOException {
        requireNonNull(path, "path is null");
        List<OrcTypes.Mapping> mappings =
                columns.stream()
                        .map(
                                column ->
                                        OrcTypes.mapping(
                                                column.type(), types.toTrino(column.type())))
                        .toList();
        return new OrcFileWriter(
                columns,
                mappings,
                warehouse,
                path,
                options.compression().orElse(FileCompression.LZ4),
                stripeBytes,
                new BitmapRows(columns, options.bitmapColumns(), types),
                checksums);
    }

    private static CompressionKind kind(FileCompression compression) {
        return switch (compression) {
            case LZ4 -> CompressionKind.LZ4;
            case ZSTD -> CompressionKind.ZSTD;
            case NONE -> CompressionKind.NONE;
        };
    }

    /** Appends rows; channel n is column n. */
    void write(Page page) throws IOException {
        bitmaps.add(page);
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = mappings.get(channel).toFile(page.getBlock(channel));
        }
        sketches.add(blocks);
        if (encoder.isPresent()) {
            encoder.get().write(blocks);
            return;
        }
        // Rows of one shard are positions of pages, and the samples of all shards would retain
        // whole pages
        sample.add(
                Arrays.stream(blocks)
                        .map(block -> block.copyRegion(0, block.getPositionCount()))
                        .toArray(Block[]::new));
        sampleRows += page.getPositionCount();
        if (sampleRows >= SAMPLE_ROWS) {
            encoder();
        }
    }

    /** The encoder; the first call creates it, with the sample as its first rows. */
    private Encoder encoder() throws IOException {
        if (encoder.isPresent()) {
            return encoder.get();
        }
        ScaledBlocks scaled = new ScaledBlocks(columns, sample);
        ColumnMetadata<OrcType> types = OrcColumns.of(columns, scaled.columns());
        List<Type> fileTypes =
                Stream.concat(
                                mappings.stream().map(OrcTypes.Mapping::fileType),
                                scaled.columns().stream().map(_ -> BIGINT))
                        .toList();
        OrcWriter orc =
                new OrcWriter(
                        sink,
                        OrcColumns.names(columns, scaled.columns()),
                        fileTypes,
                        types,
                        compression,
                        OPTIONS.withStripeMinSize(DataSize.ofBytes(stripeBytes / 8 * 7))
                                .withStripeMaxSize(DataSize.ofBytes(stripeBytes)),
                        Map.of(),
                        false,
                        OrcWriteValidationMode.BOTH,
                        new OrcWriterStats());
        Encoder created = new Encoder(orc, types, scaled);
        encoder = Optional.of(created);
        for (Block[] blocks : sample) {
            created.write(blocks);
        }
        sample.clear();
        return created;
    }

    private long sampleBytes() {
        return sample.stream()
                .flatMap(Arrays::stream)
                .mapToLong(Block::getRetainedSizeInBytes)
                .sum();
    }

    /** The approximate number of bytes of the file so far. */
    long sizeBytes() {
        return encoder.map(
                        present -> present.orc.getWrittenBytes() + present.orc.getBufferedBytes())
                .orElseGet(this::sampleBytes);
    }

    long retainedBytes() {
        return encoder.map(present -> present.orc.getRetainedBytes()).orElseGet(this::sampleBytes)
                + bitmaps.retainedBytes();
    }

    /** Completes and publishes the file, checksums beside it and its bitmap index. */
    Summary finish() throws IOException {
        OptionalLong bitmapIndexBytes = bitmaps.write(warehouse, WrittenFile.bitmapIndexPath(path));
        Encoder encoded = encoder();
        encoded.orc.close();
        object.commit();
        long rowCount = encoded.orc.getFileRowCount();
        Map<Integer, ColumnStats> statistics =
                encoded.orc
                        .getFileStats()
                        .map(found -> OrcStatistics.of(columns, encoded.types, found, rowCount))
                        .orElse(Map.of());
        return new Summary(
                object.position(),
                rowCount,
                statistics,
                sketches.sketches(),
                bitmapIndexBytes,
                object.checksums(),
                sink.metadata());
    }

    /** Discards the file unless it was finished. */
    @Override
    public void close() throws IOException {
        object.close();
    }

    /**
     * The sizes and metadata of a finished file.
     *
     * @param checksums {@link ChecksummingWriter#checksums}
     * @param metadata the file metadata for readers
     */
    record Summary(
            long sizeBytes,
            long rowCount,
            Map<Integer, ColumnStats> statistics,
            Map<Integer, ColumnSketch> sketches,
            OptionalLong bitmapIndexBytes,
            byte[] checksums,
            FileMetadataBytes metadata) {}
}
