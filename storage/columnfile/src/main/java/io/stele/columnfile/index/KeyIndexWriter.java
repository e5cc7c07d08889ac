package io.stele.columnfile.index;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A writer of the key index of a column file, which maps each key to the ordinal of its row, for
 * flush, compaction and bulk writes. An index has one of two kinds of ordinals:
 *
 * <ul>
 *   <li><em>rank</em>: the file is sorted by key, so the ordinal of a key is its position in the
 *       index and is not stored;
 *   <li><em>explicit</em>: the file has another order, and each entry has its ordinal.
 * </ul>
 *
 * <pre>
 * value of an entry: nothing (rank) | varint ordinal (explicit)
 * footer adds:       kind 1 (0 rank, 1 explicit)
 *                    nothing | metadata of the column file: varint offset | varint length
 * </pre>
 *
 * A key may repeat, newest version first. Confined to one thread. Nothing is visible before {@link
 * #finish}.
 */
public final class KeyIndexWriter implements AutoCloseable {
    static final int KIND_RANK = 0;
    static final int KIND_EXPLICIT = 1;

    private final SortedFileWriter file;
    private final boolean explicit;

    private KeyIndexWriter(SortedFileWriter file, boolean explicit) {
        this.file = file;
        this.explicit = explicit;
    }

    /** For a file that is sorted by key: add the key of every row, in file order. */
    public static KeyIndexWriter byRank(ObjectStore store, String path, BlockFileOptions options)
            throws IOException {
        return new KeyIndexWriter(
                SortedFileWriter.create(
                        store, path, FileFormat.KEY_INDEX, options, FilteredKeys.WHOLE),
                false);
    }

    /** For a file of any order: add the keys sorted, each with the ordinal of its row. */
    public static KeyIndexWriter explicit(ObjectStore store, String path, BlockFileOptions options)
            throws IOException {
        return new KeyIndexWriter(
                SortedFileWriter.create(
                        store, path, FileFormat.KEY_INDEX, options, FilteredKeys.WHOLE),
                true);
    }

    /** Adds the key of the next row of the column file. */
    public void add(byte[] key) throws IOException {
        add(key, 0, key.length);
    }

    public void add(byte[] key, int offset, int length) throws IOException {
        if (explicit) {
            throw new IllegalStateException(
                    "Expected an ordinal with each key of an explicit index");
        }
        if (file.entryCount() == Integer.MAX_VALUE) {
            throw new IllegalStateException("Expected at most 2^31 - 1 rows in a column file");
        }
        file.add(key, offset, length, 0, 0);
    }

    /** Adds a key and the ordinal of its row; of equal keys the newest version first. */
    public void add(byte[] key, int ordinal) throws IOException {
        add(key, 0, key.length, ordinal);
    }

    /** Adds a key, which is a range of an array, and the ordinal of its row. */
    public void add(byte[] key, int offset, int length, int ordinal) throws IOException {
        if (!explicit || ordinal < 0) {
            throw new IllegalStateException(
                    "Expected an explicit index and an ordinal >= 0, found ordinal " + ordinal);
        }
        ByteSink sink = file.add(key, offset, length, 0, varintLength(ordinal));
        sink.writeVarint(ordinal);
    }

    /** Whether a key, which must not be before the last added key, equals it. */
    public boolean isLast(byte[] key, int offset, int length) {
        return file.compareToLast(key, offset, length) == 0;
    }

    /** Completes the index, without metadata. */
    public KeyIndexSummary finish() throws IOException {
        return finish(Optional.empty());
    }

    /**
     * Completes the index.
     *
     * @param metadata {@link FileMetadata#encodeStored} of the column file, stored here for the
     *     file's readers
     */
    public KeyIndexSummary finish(Optional<byte[]> metadata) throws IOException {
        ByteSink added = new ByteSink(16);
        added.writeByte(explicit ? KIND_EXPLICIT : KIND_RANK);
        Optional<BlockHandle> block = Optional.empty();
        if (metadata.isPresent()) {
            block = Optional.of(file.addBlock(metadata.get()));
            BlockFileReader.writeHandle(added, block.get());
        }
        long sizeBytes = file.finish(added.toByteArray());
        return new KeyIndexSummary(
                sizeBytes,
                block.isPresent()
                        ? OptionalInt.of(Math.toIntExact(sizeBytes - block.get().offset()))
                        : OptionalInt.empty(),
                file.entryCount(),
                file.keyCount(),
                file.firstKey(),
                file.lastKey());
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private static int varintLength(int value) {
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(value)) / 7);
    }
}
