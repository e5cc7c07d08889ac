package io.stele.connector.read.file;

import static io.airlift.units.DataSize.Unit.MEGABYTE;

import io.airlift.slice.Slices;
import io.airlift.units.DataSize;
import io.stele.columnfile.metadata.ChecksummedFile;
import io.trino.orc.MemoryOrcDataSource;
import io.trino.orc.OrcDataSource;
import io.trino.orc.OrcReaderOptions;
import java.io.IOException;

/**
 * The data sources and decoded footer with which one scan reads a column file.
 *
 * @param source the file in the warehouse, with the counters of its reads
 * @param streams the source that trino-orc reads from: over {@code source}, or its content in
 *     memory
 * @param options to read the streams with
 */
public record FileDataSources(
        WarehouseOrcDataSource source,
        OrcDataSource streams,
        OrcReaderOptions options,
        FileFooter footer) {
    /**
     * Files up to this size are read and cached whole with their footers: one request costs as much
     * as three.
     */
    static final DataSize SMALL_FILE = DataSize.of(1, MEGABYTE);

    /**
     * Stripes are not read whole, because their metadata is cached, and columns may be cached too.
     */
    private static final DataSize NO_STRIPE = DataSize.ofBytes(0);

    /**
     * @param isCached whether file metadata is cached in {@code fileMetadata}
     */
    public static FileDataSources of(
            FileMetadataCache.Opened opened,
            FileMetadataCache fileMetadata,
            boolean isCached,
            OrcReaderOptions options)
            throws IOException {
        ChecksummedFile file = opened.file();
        WarehouseOrcDataSource source = new WarehouseOrcDataSource(file, options);
        DataSize whole = isCached ? SMALL_FILE : options.getTinyStripeThreshold();
        if (file.sizeBytes() <= whole.toBytes()) {
            int length = (int) file.sizeBytes();
            byte[] content =
                    isCached ? fileMetadata.content(file) : source.readTail(length).getBytes();
            FileFooter.End end = _ -> content;
            return new FileDataSources(
                    source,
                    new MemoryOrcDataSource(source.getId(), Slices.wrappedBuffer(content)),
                    options,
                    footer(opened, fileMetadata, isCached, end));
        }
        FileFooter.End end =
                length -> source.readTail(Math.max(length, FileFooter.FIRST_READ_BYTES)).getBytes();
        if (!isCached) {
            return new FileDataSources(
                    source, source, options, footer(opened, fileMetadata, false, end));
        }
        FileFooter footer = footer(opened, fileMetadata, true, end);
        return new FileDataSources(
                source,
                new CachedStripesDataSource(
                        source, fileMetadata, footer.reader().getFooter().getStripes()),
                options.withTinyStripeThreshold(NO_STRIPE),
                footer);
    }

    /** Whether the content of the file is in memory, so that nothing else of it is read. */
    public boolean isInMemory() {
        return streams instanceof MemoryOrcDataSource;
    }

    private static FileFooter footer(
            FileMetadataCache.Opened opened,
            FileMetadataCache fileMetadata,
            boolean isCached,
            FileFooter.End end)
            throws IOException {
        if (opened.footer().isPresent()) {
            return opened.footer().get();
        }
        return isCached
                ? fileMetadata.footer(opened.file(), end)
                : FileFooter.read(opened.file(), end);
    }
}
