package io.stele.connector.read.file;

import static java.util.Objects.requireNonNull;
import static org.joda.time.DateTimeZone.UTC;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.airlift.units.DataSize;
import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.connector.type.OrcTypes;
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
import io.trino.orc.metadata.ExceptionWrappingMetadataReader;
import io.trino.orc.metadata.OrcMetadataReader;
import io.trino.orc.metadata.PostScript.HiveWriterVersion;
import io.trino.spi.type.Type;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The decoded end of an ORC file: types, stripes, statistics of the file and of its stripes. Holds
 * neither the file nor the bytes that it was decoded from. Immutable and thread-safe.
 */
public final class FileFooter implements CachedFilePart {
    /**
     * The first read of trino-orc, which includes the end of most files. Longer ones need another
     * read.
     */
    static final int FIRST_READ_BYTES = 16 * 1024;

    /** Options under which a small file is never read whole to find its end. */
    private static final OrcReaderOptions OPTIONS =
            new OrcReaderOptions().withTinyStripeThreshold(DataSize.ofBytes(0));

    // By the layout of the classes: a type with its names and attributes, and statistics of a
    // column with their object of a kind and its two bounds
    private static final int TYPE_BYTES = 400;
    private static final int STATISTICS_BYTES = 250;

    private final OrcReader reader;
    private final HiveWriterVersion writerVersion;

    private FileFooter(OrcReader reader, HiveWriterVersion writerVersion) {
        this.reader = requireNonNull(reader, "reader is null");
        this.writerVersion = requireNonNull(writerVersion, "writerVersion is null");
    }

    /**
     * Reads the last bytes of a file: {@code length} or more; fewer only if these include all of
     * its end.
     */
    @FunctionalInterface
    interface End {
        byte[] read(int length) throws IOException;
    }

    /**
     * Decodes the end of a file.
     *
     * @throws OrcCorruptionException if it is not that of an ORC file
     */
    static FileFooter read(ChecksummedFile file, End end) throws IOException {
        return read(file.path(), file.sizeBytes(), end);
    }

    /** Decodes the end of a file of this path and size. */
    static FileFooter read(String path, long fileBytes, End end) throws IOException {
        Tail tail = new Tail(path, fileBytes, end);
        OrcReader reader =
                OrcReader.createOrcReader(tail, OPTIONS)
                        .orElseThrow(
                                () ->
                                        new OrcCorruptionException(
                                                tail.getId(), "The file has no bytes"));
        HiveWriterVersion version = tail.writerVersion();
        tail.forget();
        return new FileFooter(reader, version);
    }

    /** The ORC reader of the file, for its metadata only, not for reading rows. */
    public OrcReader reader() {
        return reader;
    }

    /**
     * A reader of a split's rows.
     *
     * @param rowNumbers whether a channel with the rows' numbers comes after the columns
     */
    public OrcRecordReader records(
            OrcDataSource source,
            OrcReaderOptions options,
            List<OrcColumn> columns,
            List<Type> types,
            boolean rowNumbers,
            OrcPredicate predicate,
            long splitStart,
            long splitLength,
            AggregatedMemoryContext memory,
            int initialBatchSize,
            Function<Exception, RuntimeException> failures)
            throws OrcCorruptionException {
        return new OrcRecordReader(
                columns,
                types,
                Collections.nCopies(columns.size(), OrcReader.fullyProjectedLayout()),
                rowNumbers,
                predicate,
                reader.getFooter().getNumberOfRows(),
                reader.getFooter().getStripes(),
                reader.getFooter().getFileStats(),
                reader.getMetadata().getStripeStatsList(),
                source,
                splitStart,
                splitLength,
                reader.getFooter().getTypes(),
                OrcDecompressor.createOrcDecompressor(
                        source.getId(), reader.getCompressionKind(), reader.getBufferSize()),
                reader.getFooter().getRowsInRowGroup(),
                UTC,
                writerVersion,
                new ExceptionWrappingMetadataReader(source.getId(), new OrcMetadataReader(options)),
                options,
                reader.getFooter().getUserMetadata(),
                memory,
                Optional.empty(),
                initialBatchSize,
                failures,
                OrcTypes.fieldMapper());
    }

    @Override
    public long retainedBytes() {
        long columns = reader.getFooter().getTypes().size();
        long statistics = reader.getMetadata().getStripeStatsList().size() + 1L;
        return 1024 + columns * (TYPE_BYTES + statistics * STATISTICS_BYTES);
    }

    /** The end of a file, until it is decoded. Confined to one thread. */
    private static final class Tail extends AbstractOrcDataSource {
        private End end;
        private byte[] bytes = {};

        Tail(String path, long fileBytes, End end) {
            super(new OrcDataSourceId(path), fileBytes, OPTIONS);
            this.end = requireNonNull(end, "end is null");
        }

        @Override
        protected Slice readTailInternal(int length) throws IOException {
            int wanted = (int) Math.min(length, getEstimatedSize());
            if (bytes.length < wanted) {
                bytes = end.read(wanted);
            }
            int found = Math.min(wanted, bytes.length);
            return Slices.wrappedBuffer(bytes, bytes.length - found, found);
        }

        @Override
        protected void readInternal(
                long position, byte[] buffer, int bufferOffset, int bufferLength)
                throws IOException {
            throw new IOException("Expected reads of the end alone, found one at " + position);
        }

        HiveWriterVersion writerVersion() throws IOException {
            int length = bytes[bytes.length - 1] & 0xff;
            return new OrcMetadataReader(OPTIONS)
                    .readPostScript(
                            new ByteArrayInputStream(bytes, bytes.length - 1 - length, length))
                    .getHiveWriterVersion();
        }

        void forget() {
            bytes = new byte[0];
            end = _ -> bytes;
        }
    }
}
