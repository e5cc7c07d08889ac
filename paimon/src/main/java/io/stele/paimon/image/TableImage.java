package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.ManifestEntry;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of all data files of a table at one snapshot, compressed in memory, sorted by
 * (partition, bucket, level, smallest key).
 *
 * <p>Invariant: the entries are those that Paimon's own scan of the snapshot has, each exactly as
 * it is there.
 *
 * <p>Immutable; thread-safe. A search may read blocks of a persisted image, and builds the image
 * again if they are damaged.
 */
public final class TableImage implements CachedMetadata {
    /*
     * A sorted list of entries in compressed blocks of about 64, under a directory of slices. A
     * slice is a partition and bucket; a block knows nothing of slices and may hold parts of
     * several, so that a table of many small slices compresses as well as one of few large ones.
     *
     * In memory an entry takes its share of a compressed block, a 64th of what a block has beside
     * it (first position and range of keys), and a share of its slice's 32 bytes. A search
     * decompresses only the blocks of its slices whose range of keys may match.
     *
     * An image of a later snapshot is this one with the blocks replaced that a delta touches: it
     * shares all other blocks. That is a B+ tree of two floors, of which the upper is copied whole;
     * it takes 4 bytes a block and 32 a slice.
     */

    /** Builds the image of the same snapshot again from the table. */
    @FunctionalInterface
    interface Repair {
        TableImage rebuild(TableImage damaged) throws IOException;
    }

    private final TableId table;
    private final SnapshotIdentity snapshot;
    private final SliceDirectory slices;
    private final List<EntryBlock> blocks;
    private final int[] starts; // the first entry by block, and the end
    private final SliceSums total;
    private final long retainedBytes;
    private final @Nullable Repair repair; // null: all blocks were in memory from the start
    private volatile @Nullable TableImage repaired;

    TableImage(
            TableId table,
            SnapshotIdentity snapshot,
            SliceDirectory slices,
            List<EntryBlock> blocks,
            @Nullable Repair repair) {
        this.table = requireNonNull(table, "table is null");
        this.snapshot = requireNonNull(snapshot, "snapshot is null");
        this.slices = requireNonNull(slices, "slices is null");
        this.blocks = List.copyOf(blocks);
        this.repair = repair;
        this.starts = new int[blocks.size() + 1];
        long bytes = 200L + slices.retainedBytes() + 4L * starts.length + 4L * blocks.size();
        for (int block = 0; block < blocks.size(); block++) {
            starts[block + 1] = starts[block] + blocks.get(block).count();
            bytes += blocks.get(block).retainedBytes();
        }
        checkArgument(
                starts[blocks.size()] == slices.entryCount(),
                "blocks have %s entries, slices %s",
                starts[blocks.size()],
                slices.entryCount());
        this.retainedBytes = bytes;
        SliceSums sum = SliceSums.NONE;
        for (int slice = 0; slice < slices.sliceCount(); slice++) {
            sum = sum.plus(slices.sums(slice));
        }
        this.total = sum;
    }

    public long snapshotId() {
        return snapshot.id();
    }

    /** The sums over all files of the table; needs no file's metadata. */
    public SliceSums total() {
        return total;
    }

    /** The partitions with their sums; needs no file's metadata. */
    public List<PartitionSums> partitions() {
        List<PartitionSums> result = new ArrayList<>(slices.partitionCount());
        for (int partition = 0; partition < slices.partitionCount(); partition++) {
            SliceSums sums = SliceSums.NONE;
            for (int s = slices.firstSlice(partition); s < slices.endSlice(partition); s++) {
                sums = sums.plus(slices.sums(s));
            }
            result.add(new PartitionSums(slices.partition(partition), sums));
        }
        return result;
    }

    /** The files that a filter selects, in the order of the image. */
    public List<ManifestEntry> find(ImageFilter filter) throws IOException {
        TableImage other = repaired;
        if (other != null) {
            return other.find(filter);
        }
        try {
            return search(filter);
        } catch (DamagedImageException e) {
            if (repair == null) {
                throw e;
            }
            TableImage rebuilt = repair.rebuild(this);
            repaired = rebuilt;
            return rebuilt.find(filter);
        }
    }

    /** The sums over the files in the partitions and buckets that a filter selects. */
    public SliceSums sums(ImageFilter filter) {
        long[] sums = new long[3];
        forEachSlice(
                filter,
                slice -> {
                    SliceSums of = slices.sums(slice);
                    sums[0] += of.fileCount();
                    sums[1] += of.rowCount();
                    sums[2] += of.sizeBytes();
                });
        return new SliceSums(Math.toIntExact(sums[0]), sums[1], sums[2]);
    }

    @Override
    public long retainedBytes() {
        return retainedBytes;
    }

    /** A copy of this image with another way to build it again; it shares the blocks. */
    TableImage with(Repair newRepair) {
        return new TableImage(table, snapshot, slices, blocks, newRepair);
    }

    /** An estimate of the bytes of the image when persisted. */
    long persistedBytes() {
        return retainedBytes;
    }

    TableId table() {
        return table;
    }

    SnapshotIdentity snapshot() {
        return snapshot;
    }

    SliceDirectory slices() {
        return slices;
    }

    List<EntryBlock> blocks() {
        return blocks;
    }

    /** The first entry of a block. */
    int start(int block) {
        return starts[block];
    }

    /** The index of the block that has an entry. */
    int blockOf(int entry) {
        int found = Arrays.binarySearch(starts, entry);
        return found >= 0 ? found : -(found + 1) - 1;
    }

    /** The entries of a block. */
    List<ManifestEntry> entries(int block, EntryBlockCodec codec) throws DamagedImageException {
        List<ManifestEntry> entries = new ArrayList<>(blocks.get(block).count());
        EntryBlockCodec.Files files = codec.decode(blocks.get(block));
        int entry = starts[block];
        for (int slice = slices.sliceOf(entry); entry < starts[block + 1]; slice++) {
            BinaryRow partition = slices.partition(slices.partitionOf(slice)).copy();
            int end = Math.min(slices.endEntry(slice), starts[block + 1]);
            for (; entry < end; entry++) {
                entries.add(entry(files, entry - starts[block], partition, slice));
            }
        }
        return entries;
    }

    private List<ManifestEntry> search(ImageFilter filter) throws DamagedImageException {
        List<Integer> selected = new ArrayList<>();
        forEachSlice(filter, selected::add);
        Search search = new Search(filter);
        for (int slice : selected) {
            search.slice(slice);
        }
        return filter.matchTogether(search.found);
    }

    private void forEachSlice(ImageFilter filter, Consumer<Integer> consumer) {
        if (filter.partitions().isPresent()) {
            for (BinaryRow row : filter.partitions().orElseThrow()) {
                int partition = slices.findPartition(SliceKey.bytes(row));
                if (partition >= 0) {
                    forEachSlice(partition, filter, consumer);
                }
            }
            return;
        }
        for (int partition = 0; partition < slices.partitionCount(); partition++) {
            forEachSlice(partition, filter, consumer);
        }
    }

    private void forEachSlice(int partition, ImageFilter filter, Consumer<Integer> consumer) {
        BinaryRow row = slices.partition(partition);
        if (!filter.matchesPartition(row)) {
            return;
        }
        int slice =
                filter.bucket().isPresent()
                        ? slices.firstSlice(partition, filter.bucket().getAsInt())
                        : slices.firstSlice(partition);
        for (; slice < slices.endSlice(partition); slice++) {
            if (filter.bucket().isPresent() && slices.bucket(slice) > filter.bucket().getAsInt()) {
                return;
            }
            if (filter.matchesBucket(row, slices.bucket(slice), slices.totalBuckets(slice))) {
                consumer.accept(slice);
            }
        }
    }

    private ManifestEntry entry(
            EntryBlockCodec.Files files, int index, BinaryRow partition, int slice) {
        return ManifestEntry.create(
                FileKind.ADD,
                partition,
                slices.bucket(slice),
                slices.totalBuckets(slice),
                files.file(index));
    }

    /** A search in progress, which holds the block it decompressed last. */
    private final class Search {
        private final EntryBlockCodec codec = new EntryBlockCodec();
        private final List<ManifestEntry> found = new ArrayList<>();
        private final ImageFilter filter;
        private int decodedBlock = -1;
        private EntryBlockCodec.@Nullable Files decoded;

        Search(ImageFilter filter) {
            this.filter = filter;
        }

        void slice(int slice) throws DamagedImageException {
            int entry = slices.firstEntry(slice);
            int end = slices.endEntry(slice);
            BinaryRow partition = slices.partition(slices.partitionOf(slice)).copy();
            for (int block = blockOf(entry); entry < end; block++) {
                int blockEnd = Math.min(end, starts[block + 1]);
                if (filter.mayContain(blocks.get(block))) {
                    EntryBlockCodec.Files files = decode(block);
                    for (; entry < blockEnd; entry++) {
                        ManifestEntry candidate =
                                entry(files, entry - starts[block], partition, slice);
                        if (filter.matches(candidate)) {
                            found.add(candidate);
                        }
                    }
                }
                entry = blockEnd;
            }
        }

        private EntryBlockCodec.Files decode(int block) throws DamagedImageException {
            EntryBlockCodec.Files files = decoded;
            if (files == null || decodedBlock != block) {
                files = codec.decode(blocks.get(block));
                decoded = files;
                decodedBlock = block;
            }
            return files;
        }
    }
}
