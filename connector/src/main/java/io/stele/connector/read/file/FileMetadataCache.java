package io.stele.connector.read.file;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.columnfile.metadata.FileMetadataBytes;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.sidecar.CacheUse;
import io.stele.objectstore.AccountedReader;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.PrefetchBuffer;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.protocol.api.write.WrittenFile;
import io.trino.orc.metadata.StripeInformation;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * A node's cache of the file metadata of column files: checksums, decoded footers, and the row
 * indexes and footers of stripes. It also contains small files as a whole. Its entries are of files
 * that were read or written on this node, or whose metadata the sidecar has. A split of such a file
 * needs no read before the one of its first column.
 *
 * <p>Files never change, so no entry is ever invalidated. The bytes of all entries are also in the
 * data page cache, where there is one. So a restart costs decoding but no request. Thread-safe.
 */
public final class FileMetadataCache {
    private static final Logger log = Logger.get(FileMetadataCache.class);

    /** Enough for the checksums of files of 256 GiB in total. */
    private static final long CHECKSUMS_BYTES = 32L << 20;

    /** The warehouse's store for each use of the data page cache, opened at its first use. */
    public interface Warehouses {
        ObjectStore open(CacheUse use) throws IOException;
    }

    /** The metadata of files that other nodes wrote recently. */
    @FunctionalInterface
    public interface FreshFiles {
        /** {@link FileMetadata#encode} of a file; empty if it is not at hand. Blocks. */
        Optional<byte[]> find(String path);
    }

    /** Memory for the paths of about 4,000 files whose metadata were requested. */
    private static final long ASKED_BYTES = 1 << 20;

    private final Warehouses warehouses;
    private final FreshFiles freshFiles;
    private final SingleFlightCache<String, Boolean> asked;
    private final LongAdder freshCount = new LongAdder();
    private final SingleFlightCache<Key, CachedFilePart> parts;
    private final SingleFlightCache<String, FileChecksums> checksums;
    private final TableUses uses = new TableUses();

    public FileMetadataCache(Warehouses warehouses, FreshFiles freshFiles, long maxBytes) {
        this.freshFiles = requireNonNull(freshFiles, "freshFiles is null");
        this.asked = new SingleFlightCache<>("asked-files", ASKED_BYTES, _ -> Key.RETAINED_BYTES);
        this.warehouses = requireNonNull(warehouses, "warehouses is null");
        this.parts =
                new SingleFlightCache<>(
                        "footers", maxBytes, part -> part.retainedBytes() + Key.RETAINED_BYTES);
        this.checksums =
                new SingleFlightCache<>(
                        "file-checksums", CHECKSUMS_BYTES, FileChecksums::retainedBytes);
    }

    /**
     * A file that was opened.
     *
     * @param footer its decoded end, if it came with the checksums
     */
    public record Opened(ChecksummedFile file, Optional<FileFooter> footer) {}

    /**
     * The file of a split, whose reads are checked if it has checksums. If the file's key index
     * contains its metadata, all metadata is loaded with one request.
     *
     * @param use of the data page cache
     * @param isCached whether footers are cached here
     */
    public Opened open(SteleFileSplit split, CacheUse use, boolean isCached) throws IOException {
        ObjectStore store = warehouses.open(use);
        String path = split.path();
        if (isCached && split.fresh() && store.isRemote() && !isLoaded(split)) {
            asked.get(path, () -> ask(split)); // requested once per file, also after a failure
        }
        ObjectReader reader = reader(store, split);
        boolean isOpened = false;
        try {
            Opened opened = open(store, reader, split, isCached);
            isOpened = true;
            return opened;
        } finally {
            if (!isOpened) {
                reader.release(Long.MAX_VALUE);
            }
        }
    }

    private Opened open(
            ObjectStore store, ObjectReader reader, SteleFileSplit split, boolean isCached)
            throws IOException {
        String path = split.path();
        boolean isEndKnown = parts.peek(Key.footer(path)).isPresent();
        boolean isIndexed = isCached && split.indexedMetadata().isPresent();
        if (reader.isPrefetching() && !isEndKnown && (!isIndexed || isSmall(split))) {
            // While the checksums are read
            long start = firstRead(split);
            reader.prefetch(start, split.sizeBytes() - start);
        }
        Optional<FileFooter> footer = Optional.empty();
        if (isIndexed && !isEndKnown) {
            footer =
                    Optional.of(
                            (FileFooter)
                                    get(Key.footer(path), () -> loadIndexed(store, reader, split)));
        }
        ChecksummedFile file =
                new ChecksummedFile(
                        store, reader, path, split.sizeBytes(), checksums(store, split));
        return new Opened(file, footer);
    }

    /** A reader for one scan, which prefetches into the data cache, or else into memory. */
    private static ObjectReader reader(ObjectStore store, SteleFileSplit split) throws IOException {
        return PrefetchBuffer.over(
                AccountedReader.of(store.open(split.path(), split.sizeBytes())),
                split.sizeBytes(),
                store);
    }

    private Optional<FileChecksums> checksums(ObjectStore store, SteleFileSplit split)
            throws IOException {
        String path = split.path();
        if (split.indexedMetadata().isPresent()) {
            return Optional.of(checksums.get(path, () -> sums(split, readIndexed(store, split))));
        }
        if (split.checksumBlockBytes().isEmpty()) {
            return Optional.empty();
        }
        int blockBytes = split.checksumBlockBytes().getAsInt();
        return Optional.of(
                checksums.get(
                        path,
                        () -> FileChecksums.load(store, path, split.sizeBytes(), blockBytes)));
    }

    private static FileMetadata readIndexed(ObjectStore store, SteleFileSplit split)
            throws IOException {
        return KeyIndexReader.readMetadata(
                store, split.path(), split.sizeBytes(), split.indexedMetadata().orElseThrow());
    }

    private static FileChecksums sums(SteleFileSplit split, FileMetadata metadata) {
        return metadata.checksums(
                split.path(), split.sizeBytes(), WrittenFile.keyIndexPath(split.path()));
    }

    /** Loads all metadata of a file from its key index, and caches all but the footer. */
    private FileFooter loadIndexed(ObjectStore store, ObjectReader reader, SteleFileSplit split)
            throws IOException {
        FileMetadata metadata = readIndexed(store, split);
        FileChecksums sums = sums(split, metadata);
        checksums.put(split.path(), sums);
        if (!metadata.isChecksumsAlone()) {
            return keepStripes(split.path(), split.sizeBytes(), metadata.bytes());
        }
        ChecksummedFile file =
                new ChecksummedFile(
                        store, reader, split.path(), split.sizeBytes(), Optional.of(sums));
        return FileFooter.read(
                file,
                length -> {
                    int wanted = Math.max(length, FileFooter.FIRST_READ_BYTES);
                    byte[] end = new byte[(int) Math.min(wanted, file.sizeBytes())];
                    file.read(file.sizeBytes() - end.length, end, 0, end.length);
                    return end;
                });
    }

    private static boolean isSmall(SteleFileSplit split) {
        return split.sizeBytes() <= FileDataSources.SMALL_FILE.toBytes();
    }

    /** The start of the first read of a file, which is widened to whole blocks of checksums. */
    private static long firstRead(SteleFileSplit split) {
        if (isSmall(split)) {
            return 0;
        }
        long start = Math.max(0, split.sizeBytes() - FileFooter.FIRST_READ_BYTES);
        int blockBytes =
                split.checksumBlockBytes()
                        .orElse(
                                split.indexedMetadata().isPresent()
                                        ? FileChecksums.BLOCK_BYTES
                                        : 1);
        return start - start % blockBytes;
    }

    /** Whether a split's file can be opened without reading any of it. */
    public boolean isLoaded(SteleFileSplit split) {
        String path = split.path();
        return parts.peek(Key.footer(path)).isPresent()
                && ((split.checksumBlockBytes().isEmpty() && split.indexedMetadata().isEmpty())
                        || checksums.peek(path).isPresent());
    }

    /**
     * Loads the metadata of a split's file from a node that has it in memory; returns whether that
     * succeeded.
     */
    private boolean ask(SteleFileSplit split) {
        try {
            Optional<byte[]> found = freshFiles.find(split.path());
            if (found.isEmpty()) {
                return false;
            }
            FileMetadata metadata =
                    FileMetadata.decode(split.path(), found.get(), split.sizeBytes());
            if (metadata.isChecksumsAlone()) {
                return false; // a read of the rest costs as much as a read of all metadata
            }
            written(
                    split.path(),
                    split.sizeBytes(),
                    metadata.checksums(
                            split.path(), split.sizeBytes(), "the metadata of " + split.path()),
                    metadata.bytes());
            freshCount.increment();
            return true;
        } catch (IOException | RuntimeException unusable) {
            log.debug(unusable, "Metadata of %s is read from the warehouse", split.path());
            return false;
        }
    }

    /** Files whose metadata came from the sidecar's memory and not from the warehouse. */
    public long freshCount() {
        return freshCount.sum();
    }

    /**
     * Whether the store of a split's file can prefetch, so that its ranges should be found in
     * advance.
     */
    public boolean isPrefetching(SteleFileSplit split, CacheUse use) throws IOException {
        return reader(warehouses.open(use), split).isPrefetching();
    }

    /** The read-ahead of the warehouse. */
    public Optional<ReadingAhead> readingAhead(CacheUse use) throws IOException {
        return warehouses.open(use).readingAhead();
    }

    /**
     * The decoded end of a file.
     *
     * @param end reads it, if it is not cached
     */
    FileFooter footer(ChecksummedFile file, FileFooter.End end) throws IOException {
        return (FileFooter) get(Key.footer(file.path()), () -> FileFooter.read(file, end));
    }

    /** All of a small file. */
    byte[] content(ChecksummedFile file) throws IOException {
        FileContent content =
                (FileContent) get(Key.content(file.path()), () -> FileContent.read(file));
        return content.bytes();
    }

    /** The row indexes and footer of a stripe of a file. */
    RawStripeMetadata stripe(ChecksummedFile file, StripeInformation stripe) throws IOException {
        return (RawStripeMetadata)
                get(Key.stripe(file.path(), stripe), () -> RawStripeMetadata.read(file, stripe));
    }

    private CachedFilePart get(
            Key key, SingleFlightCache.Loader<CachedFilePart, IOException> loader)
            throws IOException {
        long[] nanos = {-1};
        CachedFilePart part =
                parts.get(
                        key,
                        () -> {
                            long start = System.nanoTime();
                            CachedFilePart loaded = loader.load();
                            nanos[0] = System.nanoTime() - start;
                            return loaded;
                        });
        if (nanos[0] < 0) {
            uses.found(key.path, part.retainedBytes());
        } else {
            uses.missed(key.path, nanos[0]);
        }
        return part;
    }

    /** Whether the row indexes and footer of a stripe are cached. */
    boolean hasStripe(ChecksummedFile file, StripeInformation stripe) {
        return parts.peek(Key.stripe(file.path(), stripe)).isPresent();
    }

    /**
     * Caches the metadata of a file that was just written, so that its first reader finds it.
     *
     * @param written all of the file but the streams of its columns
     */
    public void written(String path, long sizeBytes, FileChecksums sums, FileMetadataBytes written)
            throws IOException {
        if (written.end() != sizeBytes) {
            throw new IllegalArgumentException(
                    "Expected metadata of a file of %d bytes, found that of %d for %s"
                            .formatted(sizeBytes, written.end(), path));
        }
        FileFooter footer = keepStripes(path, sizeBytes, written);
        checksums.put(path, sums);
        parts.put(Key.footer(path), footer);
    }

    /** Caches the metadata of stripes; returns the footer. */
    private FileFooter keepStripes(String path, long sizeBytes, FileMetadataBytes written)
            throws IOException {
        FileFooter footer = FileFooter.read(path, sizeBytes, written::last);
        for (StripeInformation stripe : footer.reader().getFooter().getStripes()) {
            if (RawStripeMetadata.isCacheable(stripe)
                    && written.hasEnds(
                            stripe.getOffset(),
                            stripe.getIndexLength(),
                            RawStripeMetadata.footerOffset(stripe),
                            stripe.getFooterLength())) {
                parts.put(
                        Key.stripe(path, stripe),
                        new RawStripeMetadata(
                                written.at(stripe.getOffset(), stripe.getIndexLength()),
                                written.at(
                                        RawStripeMetadata.footerOffset(stripe),
                                        stripe.getFooterLength())));
            }
        }
        return footer;
    }

    /** Its counters for each table. */
    public TableUses uses() {
        return uses;
    }

    public CacheStatistics statistics() {
        return parts.statistics();
    }

    /**
     * A part of a file.
     *
     * @param part offset of a stripe, {@link #FOOTER} or {@link #CONTENT}
     */
    private record Key(String path, long part) {
        private static final long FOOTER = -1;
        private static final long CONTENT = -2;
        // The path has about a hundred characters; each key has its own copy
        static final long RETAINED_BYTES = 250;

        static Key footer(String path) {
            return new Key(path, FOOTER);
        }

        static Key content(String path) {
            return new Key(path, CONTENT);
        }

        static Key stripe(String path, StripeInformation stripe) {
            return new Key(path, stripe.getOffset());
        }
    }
}
