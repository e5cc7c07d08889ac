package io.stele.columnfile.index;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A writer of sorted files, the common format of SST files and key indexes: entry blocks in key
 * order, parts of filter and index between them, the top-level index and the footer.
 *
 * <pre>
 * file:   header | (entry blocks | filter block | index block)* | top block | footer block | tail
 *                                                     (see BlockFileWriter, EntryBlockBuilder, IndexWriter)
 * footer: varint parts of the index | top: varint offset | varint length
 *         varint entries | varint distinct keys | first key: varint length, bytes | last key: varint length, bytes
 *         additional part of the kind of file
 * </pre>
 *
 * An empty file has no parts and no top, and keys of length 0. Confined to one thread.
 */
final class SortedFileWriter implements AutoCloseable {
    /** Four cache lines, which the processor fetches ahead. */
    private static final int PASSED_BYTES = 256;

    private final BlockFileWriter file;
    private final BlockFileOptions options;
    private final EntryBlockBuilder block;
    private final IndexWriter index;
    private final FilteredKeys filtered;
    private long finishedBytes; // of the payloads of the written blocks
    private byte @Nullable [] firstKey;
    private byte[] lastKey = new byte[64];
    private int lastKeyLength;
    private long entryCount;
    private long keyCount;

    private SortedFileWriter(
            BlockFileWriter file, BlockFileOptions options, FilteredKeys filtered) {
        this.file = file;
        this.options = options;
        this.filtered = filtered;
        boolean hashed = filtered == FilteredKeys.WHOLE; // else lookups do not use whole keys
        this.block = new EntryBlockBuilder(options.blockBytes(), options.restartInterval(), hashed);
        this.index = new IndexWriter(file, options);
    }

    static SortedFileWriter create(
            ObjectStore store,
            String path,
            FileFormat format,
            BlockFileOptions options,
            FilteredKeys filtered)
            throws IOException {
        requireNonNull(options, "options is null");
        requireNonNull(filtered, "filtered is null");
        return new SortedFileWriter(BlockFileWriter.create(store, path, format), options, filtered);
    }

    /**
     * Adds an entry; the caller appends exactly {@code valueLength} bytes to the sink that is
     * returned.
     *
     * @param beginningLength length of the key's prefix that a filter of beginnings contains
     * @throws IllegalArgumentException if the key is before the last one
     */
    ByteSink add(byte[] key, int offset, int length, int beginningLength, int valueLength)
            throws IOException {
        boolean newKey = compareToLast(key, offset, length) > 0;
        if (!block.isEmpty() && block.size() >= options.blockBytes()) {
            writeBlock();
        }
        if (newKey) {
            keyCount++;
            if (lastKey.length < length) {
                lastKey = new byte[Math.max(length, lastKey.length * 2)];
            }
            System.arraycopy(key, offset, lastKey, 0, length);
            lastKeyLength = length;
        }
        if (firstKey == null) {
            firstKey = Arrays.copyOfRange(key, offset, offset + length);
        }
        entryCount++;
        boolean firstInBlock = newKey || block.isEmpty();
        ByteSink sink = block.add(key, offset, length, valueLength);
        switch (filtered) {
            case WHOLE -> {
                if (firstInBlock) {
                    long hash = BloomFilter.hash(key, offset, length);
                    block.addHash(hash);
                    if (newKey) {
                        index.addKey(hash);
                    }
                }
            }
            case BEGINNINGS -> {
                if (newKey) {
                    index.addKey(BloomFilter.hash(key, offset, beginningLength));
                }
            }
            case NONE -> {
                // The filter stays empty and is not used.
            }
        }
        return sink;
    }

    /** Compares {@code key} with the last key added; above 0 if there is none. */
    int compareToLast(byte[] key, int offset, int length) {
        if (entryCount == 0) {
            return 1;
        }
        int order = Arrays.compareUnsigned(key, offset, offset + length, lastKey, 0, lastKeyLength);
        if (order < 0) {
            throw new IllegalArgumentException(
                    "Expected keys in ascending order, found entry %d before entry %d"
                            .formatted(entryCount, entryCount - 1));
        }
        return order;
    }

    long entryCount() {
        return entryCount;
    }

    long keyCount() {
        return keyCount;
    }

    byte[] firstKey() {
        return firstKey == null ? new byte[0] : firstKey.clone();
    }

    byte[] lastKey() {
        return Arrays.copyOf(lastKey, lastKeyLength);
    }

    /** Bytes written and buffered so far. */
    long sizeBytes() {
        return file.position() + block.size();
    }

    /** Writes an additional block after all parts; no entry may follow. */
    BlockHandle addBlock(byte[] payload) throws IOException {
        endEntries();
        return file.writeBlock(payload, payload.length, Compression.LZ4);
    }

    private void endEntries() throws IOException {
        if (!block.isEmpty()) {
            writeBlock();
        }
        index.endParts();
    }

    /**
     * Completes the file with {@code added} at the end of its footer; returns its size in bytes.
     */
    long finish(byte[] added) throws IOException {
        endEntries();
        ByteSink footer = index.finish();
        footer.writeVarint(entryCount);
        footer.writeVarint(keyCount);
        footer.writeSizedBytes(firstKey());
        footer.writeSizedBytes(lastKey());
        footer.writeBytes(added, 0, added.length);
        return file.finish(footer.toByteArray());
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private void writeBlock() throws IOException {
        byte[] last = block.lastKey();
        int entries = block.entryCount();
        ByteSink payload = block.finish();
        finishedBytes += payload.size();
        BlockHandle handle =
                file.writeBlock(payload.array(), payload.size(), options.compression());
        block.clear(restartInterval());
        index.addBlock(last, handle, entries);
    }

    /**
     * The number of entries, from the average size so far, that a scan can skip in the time of a
     * few cache misses.
     */
    private int restartInterval() {
        long entryBytes = Math.max(1, finishedBytes / entryCount);
        return (int) Math.clamp(PASSED_BYTES / entryBytes, 1, options.restartInterval());
    }
}
