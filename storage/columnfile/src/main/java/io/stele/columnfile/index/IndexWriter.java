package io.stele.columnfile.index;

import io.stele.columnfile.bytes.ByteSink;
import java.io.IOException;

/**
 * A writer of the partitioned Bloom filter and block index of a sorted file. It writes them in
 * parts, along with the entry blocks, and at the end the top-level index of the parts. So neither
 * the writer nor the reader of a large file holds more parts than are in use. Confined to one
 * thread.
 *
 * <pre>
 * part:  filter block | index block
 * index: per entry block: key = its last key, value = varint offset | varint length | varint entries
 * top:   per part: key = its last key,
 *        value = varint filter's offset | varint filter's length | varint index's length | varint entries
 * </pre>
 */
final class IndexWriter {
    private final BlockFileWriter file;
    private final BlockFileOptions options;
    private final EntryBlockBuilder part;
    private final EntryBlockBuilder top = new EntryBlockBuilder(1024, 1, false);
    private final BloomFilter.Builder filter = new BloomFilter.Builder();
    private final ByteSink value = new ByteSink(40);
    private long partEntries;

    IndexWriter(BlockFileWriter file, BlockFileOptions options) {
        this.file = file;
        this.options = options;
        this.part = new EntryBlockBuilder(options.partitionBytes(), 1, false);
    }

    /** Adds a key that begins in the block of the next {@link #addBlock} call. */
    void addKey(long hash) {
        filter.add(hash);
    }

    /** Adds an entry block that was written. */
    void addBlock(byte[] lastKey, BlockHandle handle, int entries) throws IOException {
        value.clear();
        BlockFileReader.writeHandle(value, handle);
        value.writeVarint(entries);
        add(part, lastKey);
        partEntries += entries;
        if (part.size() >= options.partitionBytes()
                || filter.sizeBytes(options.bitsPerKey()) >= options.partitionBytes()) {
            endPart();
        }
    }

    /** Writes the last part; no block may be added after it. */
    void endParts() throws IOException {
        if (!part.isEmpty()) {
            endPart();
        }
    }

    /** Writes the last part and the top-level index; returns the beginning of the footer. */
    ByteSink finish() throws IOException {
        endParts();
        ByteSink footer = new ByteSink(256);
        footer.writeVarint(top.entryCount());
        if (!top.isEmpty()) {
            ByteSink payload = top.finish();
            BlockFileReader.writeHandle(
                    footer,
                    file.writeBlock(payload.array(), payload.size(), options.compression()));
        }
        return footer;
    }

    private void endPart() throws IOException {
        byte[] lastKey = part.lastKey();
        byte[] bits = filter.build(options.bitsPerKey()).payload();
        BlockHandle filterHandle = file.writeBlock(bits, bits.length, Compression.NONE);
        ByteSink payload = part.finish();
        BlockHandle indexHandle =
                file.writeBlock(payload.array(), payload.size(), options.compression());
        part.clear(1);
        value.clear();
        BlockFileReader.writeHandle(value, filterHandle);
        value.writeVarint(indexHandle.length());
        value.writeVarint(partEntries);
        add(top, lastKey);
        partEntries = 0;
    }

    private void add(EntryBlockBuilder block, byte[] key) {
        block.add(key, 0, key.length, value.size()).writeBytes(value.array(), 0, value.size());
    }
}
