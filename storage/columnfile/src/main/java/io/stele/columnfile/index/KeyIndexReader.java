package io.stele.columnfile.index;

import io.stele.columnfile.bytes.ByteSource;
import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.index.SortedFileReader.Located;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.write.WrittenFile;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the key index of a column file, which finds the ordinal of a key's row for lookups
 * and upserts. It holds the top-level index in memory; all other blocks are in the block cache.
 * Immutable and thread-safe; cursors are not.
 */
public final class KeyIndexReader implements IndexedFileReader {
    /** Returned by {@link #find} for a key that is not in the file. */
    public static final int ABSENT = -1;

    private final SortedFileReader file;
    private final boolean explicit;
    private final Optional<BlockHandle> metadata;

    private KeyIndexReader(SortedFileReader file) {
        this.file = file;
        Added added = Added.read(file.path(), file.added(), file::readHandle);
        this.metadata = added.metadata;
        this.explicit = added.explicit;
    }

    /** The part of the footer that only key indexes have. */
    private record Added(boolean explicit, Optional<BlockHandle> metadata) {
        static Added read(
                String path, ByteSource footer, Function<ByteSource, BlockHandle> readHandle) {
            int kind = footer.readByte();
            Optional<BlockHandle> metadata =
                    footer.hasRemaining()
                            ? Optional.of(readHandle.apply(footer))
                            : Optional.empty();
            footer.requireEnd();
            if (kind != KeyIndexWriter.KIND_RANK && kind != KeyIndexWriter.KIND_EXPLICIT) {
                throw Corruption.mismatch(path, 0, "key index kind in", "[0, 1]", kind);
            }
            return new Added(kind == KeyIndexWriter.KIND_EXPLICIT, metadata);
        }
    }

    private KeyIndexReader(
            SortedFileReader file, boolean explicit, Optional<BlockHandle> metadata) {
        this.file = file;
        this.explicit = explicit;
        this.metadata = metadata;
    }

    /**
     * Opens an index and verifies all but its entry blocks, which are verified when read.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA naming file, offset, expected and found
     */
    public static KeyIndexReader open(
            ObjectStore store, String path, long sizeBytes, BlockCache cache) throws IOException {
        return open(store, path, sizeBytes, cache, Optional.empty());
    }

    /** A receiver of the metadata of a column file that were read together with its key index. */
    public interface MetadataSink {
        /**
         * @param encoded {@link FileMetadata#encodeStored}
         */
        void accept(byte[] encoded);

        /** Called if the metadata are damaged; lookups of keys still work. */
        void damaged(SteleException corrupt);
    }

    /**
     * Opens an index, and passes on metadata that were read with it.
     *
     * @param metadata receives the metadata of the column file, if the bytes read from the end of
     *     the index include them
     */
    public static KeyIndexReader open(
            ObjectStore store, String path, long sizeBytes, BlockCache cache, MetadataSink metadata)
            throws IOException {
        return open(store, path, sizeBytes, cache, Optional.of(metadata));
    }

    private static KeyIndexReader open(
            ObjectStore store,
            String path,
            long sizeBytes,
            BlockCache cache,
            Optional<MetadataSink> metadata)
            throws IOException {
        BlockFileReader.Opened opened =
                BlockFileReader.open(store, path, sizeBytes, FileFormat.KEY_INDEX);
        KeyIndexReader reader = new KeyIndexReader(SortedFileReader.of(opened, cache));
        Optional<BlockHandle> present = reader.metadata.filter(opened::has);
        if (present.isPresent() && metadata.isPresent()) {
            byte[] encoded;
            try {
                encoded = opened.readBlock(present.get());
            } catch (SteleException corrupt) {
                metadata.get().damaged(corrupt);
                return reader;
            }
            metadata.get().accept(encoded);
        }
        return reader;
    }

    /**
     * Reads the metadata of a column file from its key index without opening the index; usually one
     * request. Blocks.
     *
     * @param path of the column file
     * @param fileBytes size of the column file
     * @throws SteleException CORRUPT_DATA naming the key index, offset, expected and found
     */
    public static FileMetadata readMetadata(
            ObjectStore store, String path, long fileBytes, IndexedMetadata place)
            throws IOException {
        NonBlocking.check();
        String indexPath = WrittenFile.keyIndexPath(path);
        BlockFileReader.Opened end =
                BlockFileReader.openEnd(
                        store,
                        indexPath,
                        place.keyIndexBytes(),
                        place.metadataBytes(),
                        FileFormat.KEY_INDEX);
        Added added =
                Added.read(indexPath, SortedFileReader.added(end.file()), end.file()::readHandle);
        if (added.metadata.isEmpty()) {
            throw noMetadata(indexPath, place.keyIndexBytes());
        }
        return FileMetadata.decode(indexPath, end.readBlock(added.metadata.get()), fileBytes);
    }

    /** The error of a key index that should have the metadata of its column file. */
    public static SteleException noMetadata(String path, long sizeBytes) {
        return Corruption.mismatch(path, sizeBytes, "metadata of the column file", "1", 0);
    }

    /**
     * Reads {@link FileMetadata#encodeStored} of the column file; blocks.
     *
     * @return empty if the index has no metadata
     */
    public Optional<byte[]> readMetadata() throws IOException {
        return metadata.isPresent()
                ? Optional.of(file.readBlock(metadata.get()))
                : Optional.empty();
    }

    /**
     * The number of bytes from the metadata of the column file to the end of the index; empty if it
     * has no metadata.
     */
    public OptionalLong metadataBytes() {
        return metadata.isPresent()
                ? OptionalLong.of(file.sizeBytes() - metadata.get().offset())
                : OptionalLong.empty();
    }

    public String path() {
        return file.path();
    }

    public long entryCount() {
        return file.entryCount();
    }

    public long keyCount() {
        return file.keyCount();
    }

    /**
     * Whether the entries are in the order of the rows, because the column file is sorted by key.
     */
    public boolean isByRank() {
        return !explicit;
    }

    public byte[] minKey() {
        return file.firstKey();
    }

    public byte[] maxKey() {
        return file.lastKey();
    }

    /** Memory that the open reader holds, in bytes, without its blocks in the block cache. */
    @Override
    public long retainedBytes() {
        return file.retainedBytes();
    }

    /** False only if the key is certainly not in the file; may read a part of the filter. */
    public boolean mayContain(byte[] key) throws IOException {
        return file.mayContain(key, BloomFilter.hash(key, 0, key.length));
    }

    /** Finds a row, as {@link #find(byte[], long)} does, and computes the hash of the key. */
    public int find(byte[] key) throws IOException {
        return find(key, BloomFilter.hash(key, 0, key.length));
    }

    /**
     * The ordinal of the row of {@code key}, or {@link #ABSENT}; the newest version's row if there
     * are several.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     */
    public int find(byte[] key, long hash) throws IOException {
        Located found = file.find(key, hash);
        return found == null ? ABSENT : ordinal(explicit, found.ordinal(), found.entry().value());
    }

    /** A reader of the same index that uses held blocks before the cache. */
    public KeyIndexReader holding(HeldBlocks blocks) {
        return new KeyIndexReader(file.holding(blocks), explicit, metadata);
    }

    /**
     * A prefetch of the blocks that lookups of some keys will need. The blocks are held if this
     * reader is {@link #holding} blocks.
     */
    public SortedFilePrefetch prefetch() {
        return new SortedFilePrefetch(file, true);
    }

    /** A probe for lookups of many keys. */
    public KeyIndexProbe probe() {
        return new KeyIndexProbe(file, explicit, false);
    }

    /**
     * A probe for lookups of many keys in a remote store. It reads no block that the filter rules
     * out, like {@link #prefetch}.
     */
    public KeyIndexProbe probeFar() {
        return new KeyIndexProbe(file, explicit, true);
    }

    /** A cursor over all entries that bypasses the cache. */
    public KeyIndexCursor cursor() {
        return new KeyIndexCursor(new SortedFileCursor(file, false), explicit);
    }

    /** A cursor over all entries for a compaction, which reads ahead and bypasses the cache. */
    public KeyIndexCursor cursor(SequentialReads reads) {
        return new KeyIndexCursor(new SortedFileCursor(file.sequential(reads), false), explicit);
    }

    /**
     * As {@link #cursor(SequentialReads)}, for the keys from {@code low} on, and below {@code high}
     * if there is one.
     */
    public KeyIndexCursor cursor(SequentialReads reads, byte[] low, byte @Nullable [] high) {
        return new KeyIndexCursor(
                new SortedFileCursor(file.sequential(reads, low, high), false), explicit);
    }

    /** A cursor that uses the block cache, for few entries after a seek. */
    public KeyIndexCursor cachedCursor() {
        return new KeyIndexCursor(new SortedFileCursor(file, true), explicit);
    }

    static int ordinal(boolean explicit, long rank, ByteSource value) {
        int ordinal = explicit ? value.readVarint32("row ordinal") : Math.toIntExact(rank);
        value.requireEnd();
        return ordinal;
    }
}
