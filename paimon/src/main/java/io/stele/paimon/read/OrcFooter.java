package io.stele.paimon.read;

import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static java.util.Objects.requireNonNull;
import static org.joda.time.DateTimeZone.UTC;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.airlift.units.DataSize;
import io.stele.objectstore.ObjectReader;
import io.stele.paimon.type.FileFormat;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.orc.AbstractOrcDataSource;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcCorruptionException;
import io.trino.orc.OrcDataSource;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcDecompressor;
import io.trino.orc.OrcPredicate;
import io.trino.orc.OrcReader;
import io.trino.orc.OrcReaderOptions;
import io.trino.orc.OrcRecordReader;
import io.trino.orc.metadata.CompressionKind;
import io.trino.orc.metadata.ExceptionWrappingMetadataReader;
import io.trino.orc.metadata.MetadataReader;
import io.trino.orc.metadata.OrcMetadataReader;
import io.trino.orc.metadata.PostScript.HiveWriterVersion;
import io.trino.orc.stream.OrcChunkLoader;
import io.trino.orc.stream.OrcInputStream;
import io.trino.spi.type.Type;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.ZoneId;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The decoded footer of an ORC file, shared by scans through the cache: types, stripes, and
 * statistics of the file and its stripes.
 */
final class OrcFooter implements FileMetadata {
    /**
     * Small files and small stripes are not read whole, since the needed ranges are known before.
     */
    private static final OrcReaderOptions OPTIONS =
            new OrcReaderOptions()
                    .withBloomFiltersEnabled(true)
                    .withTinyStripeThreshold(DataSize.ofBytes(0));

    /** The size to which trino-orc grows anyway. */
    private static final int INITIAL_BATCH_SIZE = 8 * 1024;

    // By the layout of the classes: a type with its names and attributes, and statistics of a
    // column with their object of a kind and its two bounds
    private static final int TYPE_BYTES = 400;
    private static final int STATISTICS_BYTES = 250;

    private final OrcReader reader;
    private final HiveWriterVersion writerVersion;

    private OrcFooter(OrcReader reader, HiveWriterVersion writerVersion) {
        this.reader = requireNonNull(reader, "reader is null");
        this.writerVersion = requireNonNull(writerVersion, "writerVersion is null");
    }

    static OrcFooter read(String location, long sizeBytes, ObjectReader file) throws IOException {
        Tail tail = new Tail(location, sizeBytes, file);
        OrcReader reader =
                OrcReader.createOrcReader(tail, OPTIONS)
                        .orElseThrow(
                                () ->
                                        new OrcCorruptionException(
                                                tail.getId(), "The file has no bytes"));
        HiveWriterVersion version = tail.writerVersion();
        tail.forget();
        return new OrcFooter(reader, version);
    }

    /** Trino-orc's reader, only for its metadata: it has no file to read. */
    OrcReader reader() {
        return reader;
    }

    boolean isCompressed() {
        return reader.getCompressionKind() != CompressionKind.NONE;
    }

    /** The footer of a stripe from its bytes. */
    OrcStripeFooter stripeFooter(OrcDataSourceId id, byte[] bytes) throws IOException {
        return new OrcStripeFooter(
                decoder(id)
                        .readStripeFooter(
                                reader.getFooter().getTypes(),
                                input(id, bytes),
                                ZoneId.of(UTC.getID())));
    }

    /** The row index of a column from its bytes. */
    OrcRowIndex rowIndex(OrcDataSourceId id, byte[] bytes) throws IOException {
        return new OrcRowIndex(decoder(id).readRowIndexes(writerVersion, input(id, bytes)));
    }

    /** The bloom filters of a column from their bytes. */
    OrcBloomFilters bloomFilters(OrcDataSourceId id, byte[] bytes) throws IOException {
        return new OrcBloomFilters(decoder(id).readBloomFilterIndexes(input(id, bytes)));
    }

    private static MetadataReader decoder(OrcDataSourceId id) {
        return new ExceptionWrappingMetadataReader(id, new OrcMetadataReader(OPTIONS));
    }

    private OrcInputStream input(OrcDataSourceId id, byte[] bytes) throws IOException {
        return new OrcInputStream(
                OrcChunkLoader.create(
                        id,
                        Slices.wrappedBuffer(bytes),
                        decompressor(id),
                        newSimpleAggregatedMemoryContext()));
    }

    private Optional<OrcDecompressor> decompressor(OrcDataSourceId id)
            throws OrcCorruptionException {
        return OrcDecompressor.createOrcDecompressor(
                id, reader.getCompressionKind(), reader.getBufferSize());
    }

    /**
     * A reader of the rows of a split.
     *
     * @param metadata returns the metadata of stripes
     */
    OrcRecordReader records(
            OrcDataSource source,
            MetadataReader metadata,
            List<OrcColumn> columns,
            List<Type> types,
            OrcPredicate predicate,
            long splitStart,
            long splitLength,
            AggregatedMemoryContext memory,
            Function<Exception, RuntimeException> failures)
            throws OrcCorruptionException {
        return new OrcRecordReader(
                columns,
                types,
                Collections.nCopies(columns.size(), OrcReader.fullyProjectedLayout()),
                false,
                predicate,
                reader.getFooter().getNumberOfRows(),
                reader.getFooter().getStripes(),
                reader.getFooter().getFileStats(),
                reader.getMetadata().getStripeStatsList(),
                source,
                splitStart,
                splitLength,
                reader.getFooter().getTypes(),
                decompressor(source.getId()),
                reader.getFooter().getRowsInRowGroup(),
                UTC,
                writerVersion,
                metadata,
                OPTIONS,
                reader.getFooter().getUserMetadata(),
                memory,
                Optional.empty(),
                INITIAL_BATCH_SIZE,
                failures,
                column -> name -> field(column, FileFormat.orcName(name)));
    }

    private static OrcColumn field(OrcColumn row, String name) {
        return row.getNestedColumns().stream()
                .filter(column -> column.getColumnName().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "Expected field %s in %s, found none"
                                                .formatted(name, row.getPath())));
    }

    @Override
    public long retainedBytes() {
        long columns = reader.getFooter().getTypes().size();
        long statistics = reader.getMetadata().getStripeStatsList().size() + 1L;
        return 1024 + columns * (TYPE_BYTES + statistics * STATISTICS_BYTES);
    }

    /** The end of a file, until it is decoded. Confined to one thread. */
    private static final class Tail extends AbstractOrcDataSource {
        private static final byte[] NONE = new byte[0];

        private Optional<ObjectReader> file;
        private byte[] bytes = NONE;

        Tail(String location, long sizeBytes, ObjectReader file) {
            super(new OrcDataSourceId(location), sizeBytes, OPTIONS);
            this.file = Optional.of(file);
        }

        @Override
        protected Slice readTailInternal(int length) throws IOException {
            int wanted = (int) Math.min(length, getEstimatedSize());
            if (bytes.length < wanted) {
                int read = (int) Math.min(Math.max(length, FIRST_READ_BYTES), getEstimatedSize());
                bytes = file.orElseThrow().read(getEstimatedSize() - read, read);
            }
            return Slices.wrappedBuffer(bytes, bytes.length - wanted, wanted);
        }

        @Override
        protected void readInternal(
                long position, byte[] buffer, int bufferOffset, int bufferLength)
                throws IOException {
            file.orElseThrow().read(position, buffer, bufferOffset, bufferLength);
        }

        HiveWriterVersion writerVersion() throws IOException {
            int length = bytes[bytes.length - 1] & 0xff;
            return new OrcMetadataReader(OPTIONS)
                    .readPostScript(
                            new ByteArrayInputStream(bytes, bytes.length - 1 - length, length))
                    .getHiveWriterVersion();
        }

        void forget() {
            bytes = NONE;
            file = Optional.empty();
        }
    }
}
