package io.stele.storage.format;

import io.stele.storage.format.EntryBlock.Found;
import io.stele.storage.format.SortedFileReader.Located;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Finds entries of a sorted file through the block cache, and holds on to the part of the index and
 * the block of the last one. Confined to one thread.
 */
final class SortedFileProbe {
    private final SortedFileReader file;
    private @Nullable IndexPartition partition;
    private int partitionIndex;
    private @Nullable EntryBlock block; // of the partition
    private int blockIndex;

    SortedFileProbe(SortedFileReader file) {
        this.file = file;
    }

    /** The first entry of a key and its position in the file; null if there is none. */
    @Nullable Located find(byte[] key, long hash) throws IOException {
        int index = file.findPartition(key);
        if (index == file.partitionCount()) {
            return null;
        }
        IndexPartition in = partition(index);
        if (!in.mayContain(hash)) {
            return null;
        }
        int number = in.findBlock(key);
        Found found = block(in, number).find(key, hash);
        return found == null ? null : new Located(found, in.firstOrdinal(number) + found.ordinal());
    }

    private IndexPartition partition(int index) throws IOException {
        IndexPartition present = partition;
        if (present == null || index != partitionIndex) {
            present = file.partition(index, true);
            partition = present;
            partitionIndex = index;
            block = null;
        }
        return present;
    }

    private EntryBlock block(IndexPartition in, int number) throws IOException {
        EntryBlock present = block;
        if (present == null || number != blockIndex) {
            present = file.block(in, number);
            block = present;
            blockIndex = number;
        }
        return present;
    }
}
