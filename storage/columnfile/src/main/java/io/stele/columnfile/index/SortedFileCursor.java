package io.stele.columnfile.index;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the entries of an SST file or key index in key order, which can also seek and reads
 * blocks as it moves. It starts before the first entry; the present entry is valid until it moves.
 * Confined to one thread.
 */
final class SortedFileCursor {
    private final SortedFileReader file;
    private final boolean cached;
    private final ReadAhead ahead = new ReadAhead(); // used if not cached
    private int partitionIndex = -1;
    private @Nullable IndexPartition partition;
    private int blockIndex;
    private @Nullable EntryCursor entries;

    /**
     * @param cached whether blocks are read through the block cache
     */
    SortedFileCursor(SortedFileReader file, boolean cached) {
        this.file = file;
        this.cached = cached;
    }

    /** Moves to the next entry; false at the end. */
    boolean advance() throws IOException {
        EntryCursor current = entries;
        if (current != null && current.next()) {
            return true;
        }
        IndexPartition part = partition;
        if (part == null || blockIndex + 1 == part.blockCount()) {
            if (partitionIndex + 1 >= file.partitionCount()) {
                return false;
            }
            // Load the block first: if the caller must not wait for it, the cursor does not move.
            part = file.partition(partitionIndex + 1, cached);
            EntryBlock content = block(part, 0);
            partitionIndex++;
            partition = part;
            return enter(content, 0).next();
        }
        return enterBlock(part, blockIndex + 1).next();
    }

    /**
     * Moves to the first entry at or after {@code key}, forward or backward; false if there is
     * none.
     */
    boolean seek(byte[] key) throws IOException {
        int index = file.findPartition(key);
        if (index == file.partitionCount()) {
            partitionIndex = index;
            partition = null;
            entries = null;
            return false;
        }
        IndexPartition part = partition;
        boolean moved = part == null || index != partitionIndex;
        if (part == null || moved) {
            part = enterPartition(index);
        }
        int block = part.findBlock(key);
        EntryCursor current = entries;
        // The block's last key is at or after the key, so the entry is in this block.
        return (current == null || moved || block != blockIndex ? enterBlock(part, block) : current)
                .seek(key);
    }

    /** The entry the cursor is on. */
    EntryCursor entry() {
        EntryCursor current = entries;
        if (current == null) {
            throw new IllegalStateException(
                    "Expected a cursor on an entry, found it before the first or after the last");
        }
        return current;
    }

    /** A copy of the current key. */
    byte[] key() {
        EntryCursor current = entry();
        return Arrays.copyOf(current.keyArray(), current.keyLength());
    }

    /** Position of the current entry in the file, from 0. */
    long ordinal() {
        EntryCursor current = entry();
        IndexPartition part = partition;
        return part == null ? 0 : part.firstOrdinal(blockIndex) + current.ordinal();
    }

    private IndexPartition enterPartition(int index) throws IOException {
        IndexPartition entered = file.partition(index, cached);
        partitionIndex = index;
        partition = entered;
        return entered;
    }

    private EntryCursor enterBlock(IndexPartition part, int block) throws IOException {
        return enter(block(part, block), block);
    }

    private EntryBlock block(IndexPartition part, int block) throws IOException {
        return cached ? file.block(part, block) : file.block(part, block, ahead);
    }

    private EntryCursor enter(EntryBlock content, int block) {
        blockIndex = block;
        EntryCursor current = entries;
        if (current == null) {
            current = new EntryCursor(content);
            entries = current;
        } else {
            current.reset(content);
        }
        return current;
    }
}
