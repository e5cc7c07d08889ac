package io.stele.columnfile.index;

import io.stele.columnfile.index.EntryBlock.Found;
import io.stele.columnfile.index.SortedFileReader.Located;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A lookup of one or many keys in an SST file or key index through the block cache. It remembers
 * the part of the index and the block of the last entry. A probe for many keys finds cached blocks
 * without a search in the cache, and reports only some of its accesses to the cache. Confined to
 * one thread.
 */
final class SortedFileProbe {
    /** The number of keys after which the usefulness of the filter is known. */
    private static final int FILTER_TRIALS = 64;

    private final SortedFileReader file;
    private final boolean many;
    private final boolean filters;
    private @Nullable IndexPartition partition;
    private int partitionIndex;
    private @Nullable EntryBlock block; // of the partition
    private int blockIndex;
    private int uses; // of parts and blocks
    private int filtered;
    private int passed; // of the filtered keys

    /**
     * @param many whether many keys will be looked up
     * @param filters whether the filter is always checked, as for blocks in a remote store
     */
    SortedFileProbe(SortedFileReader file, boolean many, boolean filters) {
        this.file = file;
        this.many = many;
        this.filters = filters;
    }

    /** The first entry of a key and its position in the file; null if there is none. */
    @Nullable Located find(byte[] key, long hash) throws IOException {
        int index = file.findPartition(key);
        if (index == file.partitionCount()) {
            return null;
        }
        IndexPartition in = partition(index);
        if (!filterIsFutile() && !passesFilter(in, hash)) {
            return null;
        }
        int number = in.findBlock(key);
        Found found = block(in, number).find(key, hash);
        return found == null ? null : new Located(found, in.firstOrdinal(number) + found.ordinal());
    }

    private boolean passesFilter(IndexPartition in, long hash) {
        boolean passes = in.mayContain(hash);
        filtered++;
        passed += passes ? 1 : 0;
        return passes;
    }

    /** Whether the filter passes nearly all keys, so that checking it only costs time. */
    private boolean filterIsFutile() {
        return !filters && filtered >= FILTER_TRIALS && passed > filtered - filtered / 8;
    }

    private IndexPartition partition(int index) throws IOException {
        IndexPartition present = partition;
        if (present == null || index != partitionIndex) {
            present = many ? file.keptPartition(index, isCounted()) : file.partition(index, true);
            partition = present;
            partitionIndex = index;
            block = null;
        }
        return present;
    }

    private EntryBlock block(IndexPartition in, int number) throws IOException {
        EntryBlock present = block;
        if (present == null || number != blockIndex) {
            present = many ? file.keptBlock(in, number, isCounted()) : file.block(in, number);
            block = present;
            blockIndex = number;
        }
        return present;
    }

    private boolean isCounted() {
        return uses++ % SortedFileReader.USES_COUNTED == 0;
    }
}
