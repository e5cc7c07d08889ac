package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.paimon.manifest.FileEntry;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.ManifestEntry;
import org.jspecify.annotations.Nullable;

/**
 * A builder of table images, from all manifest entries of a snapshot, or from the image of an
 * earlier snapshot and the deltas since.
 *
 * <p>Thread-safe.
 */
final class ImageBuilder {
    // 64 entries: about 8 KB compressed. Smaller blocks compress worse, larger blocks take longer
    // to decompress for one file.
    private static final int BLOCK_ENTRIES = 64;
    // Below this, a changed block takes in the next one, so that many deletes leave no small
    // blocks.
    private static final int SMALL_BLOCK_ENTRIES = 24;

    private final TableId table;
    private final EntryOrder order;
    private final int partitionArity;
    private final ParallelTasks tasks;

    ImageBuilder(TableId table, KeyColumns keys, int partitionArity, ParallelTasks tasks) {
        this.table = requireNonNull(table, "table is null");
        this.order = new EntryOrder(keys);
        this.partitionArity = partitionArity;
        this.tasks = requireNonNull(tasks, "tasks is null");
    }

    /** The image of these entries, all of kind ADD, in any order. */
    TableImage build(SnapshotIdentity snapshot, Collection<ManifestEntry> entries)
            throws IOException {
        List<ManifestEntry> sorted = new ArrayList<>(entries);
        sorted.sort(order);
        List<List<ManifestEntry>> chunks = new ArrayList<>();
        for (int from = 0; from < sorted.size(); from += BLOCK_ENTRIES) {
            chunks.add(sorted.subList(from, Math.min(sorted.size(), from + BLOCK_ENTRIES)));
        }
        List<EntryBlock> blocks =
                tasks.map(chunks, chunk -> new EntryBlockCodec().encode(chunk, order.keys()));
        NavigableMap<SliceKey, SliceSums> sums = new TreeMap<>();
        sorted.forEach(
                entry ->
                        sums.merge(
                                SliceKey.of(entry),
                                SliceSums.NONE.plus(entry.file()),
                                SliceSums::plus));
        SliceDirectory.Builder slices = new SliceDirectory.Builder(partitionArity);
        sums.forEach(slices::add);
        return new TableImage(table, snapshot, slices.build(), blocks, null);
    }

    /**
     * The image after some deltas.
     *
     * @param deltas the entries of the deltas' manifests, in the order of their commits
     */
    TableImage advance(
            TableImage image,
            SnapshotIdentity snapshot,
            List<ManifestEntry> deltas,
            TableImage.@Nullable Repair repair)
            throws DeltaNotApplicableException, DamagedImageException {
        List<ManifestEntry> changes = new ArrayList<>(net(deltas));
        changes.sort(order);
        NavigableMap<Integer, List<ManifestEntry>> byBlock = new TreeMap<>();
        NavigableMap<SliceKey, SliceSums> differences = new TreeMap<>();
        for (ManifestEntry change : changes) {
            byBlock.computeIfAbsent(blockFor(image, change), block -> new ArrayList<>())
                    .add(change);
            SliceSums difference =
                    change.kind() == FileKind.ADD
                            ? SliceSums.NONE.plus(change.file())
                            : SliceSums.NONE.minus(change.file());
            differences.merge(SliceKey.of(change), difference, SliceSums::plus);
        }
        List<EntryBlock> blocks = rewrite(image, byBlock);
        return new TableImage(
                table, snapshot, image.slices().apply(differences, partitionArity), blocks, repair);
    }

    /** The entries of the deltas without the files that were both added and deleted in them. */
    private static Collection<ManifestEntry> net(List<ManifestEntry> deltas)
            throws DeltaNotApplicableException {
        Map<FileEntry.Identifier, ManifestEntry> net = new LinkedHashMap<>();
        for (ManifestEntry entry : deltas) {
            FileEntry.Identifier identifier = entry.identifier();
            ManifestEntry earlier = net.get(identifier);
            if (earlier == null) {
                net.put(identifier, entry);
            } else if (earlier.kind() == FileKind.ADD && entry.kind() == FileKind.DELETE) {
                net.remove(identifier);
            } else {
                throw new DeltaNotApplicableException(
                        "Expected one add and one delete of a file, found another %s of %s"
                                .formatted(entry.kind(), identifier));
            }
        }
        return net.values();
    }

    /** The index of the block that has an entry, or to which the entry would belong. */
    private int blockFor(TableImage image, ManifestEntry entry) {
        SliceDirectory slices = image.slices();
        if (slices.entryCount() == 0) {
            return 0;
        }
        SliceKey key = SliceKey.of(entry);
        int slice = slices.ceilingSlice(key);
        if (!slices.isSlice(slice, key)) {
            // Between two slices: behind the last entry of the slice before.
            int following =
                    slice == slices.sliceCount() ? slices.entryCount() : slices.firstEntry(slice);
            return image.blockOf(Math.max(0, following - 1));
        }
        EntryPosition position = EntryPosition.of(entry.file());
        int low = image.blockOf(slices.firstEntry(slice));
        int high = image.blockOf(slices.endEntry(slice) - 1);
        while (low < high) {
            // All blocks behind the first one begin inside the slice, so their positions compare.
            int middle = (low + high + 1) >>> 1;
            if (order.compare(image.blocks().get(middle).first(), position) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private List<EntryBlock> rewrite(
            TableImage image, NavigableMap<Integer, List<ManifestEntry>> changes)
            throws DeltaNotApplicableException, DamagedImageException {
        EntryBlockCodec codec = new EntryBlockCodec();
        List<EntryBlock> result = new ArrayList<>(image.blocks().size() + changes.size());
        List<ManifestEntry> pending = new ArrayList<>();
        for (int block = 0; block < Math.max(1, image.blocks().size()); block++) {
            List<ManifestEntry> changed = changes.get(block);
            boolean merges = !pending.isEmpty() && pending.size() < SMALL_BLOCK_ENTRIES;
            if (block >= image.blocks().size()) { // an image without files
                pending.addAll(merge(List.of(), changed == null ? List.of() : changed));
            } else if (changed == null && !merges) {
                flush(pending, codec, result);
                result.add(image.blocks().get(block));
            } else {
                pending.addAll(
                        merge(image.entries(block, codec), changed == null ? List.of() : changed));
                while (pending.size() >= 2 * BLOCK_ENTRIES) {
                    List<ManifestEntry> full = pending.subList(0, BLOCK_ENTRIES);
                    result.add(codec.encode(full, order.keys()));
                    full.clear();
                }
            }
        }
        while (pending.size() >= 2 * BLOCK_ENTRIES) {
            List<ManifestEntry> full = pending.subList(0, BLOCK_ENTRIES);
            result.add(codec.encode(full, order.keys()));
            full.clear();
        }
        flush(pending, codec, result);
        return result;
    }

    private void flush(
            List<ManifestEntry> pending, EntryBlockCodec codec, List<EntryBlock> result) {
        if (!pending.isEmpty()) {
            result.add(codec.encode(pending, order.keys()));
            pending.clear();
        }
    }

    /** The entries with the changes applied, in order. */
    private List<ManifestEntry> merge(List<ManifestEntry> entries, List<ManifestEntry> changes)
            throws DeltaNotApplicableException {
        Map<FileEntry.Identifier, ManifestEntry> deletes = new HashMap<>();
        List<ManifestEntry> adds = new ArrayList<>();
        for (ManifestEntry change : changes) {
            if (change.kind() == FileKind.ADD) {
                adds.add(change);
            } else {
                deletes.put(change.identifier(), change);
            }
        }
        List<ManifestEntry> result = new ArrayList<>(entries.size() + adds.size());
        int added = 0;
        for (ManifestEntry entry : entries) {
            while (added < adds.size() && order.compare(adds.get(added), entry) < 0) {
                result.add(adds.get(added++));
            }
            if (deletes.isEmpty() || deletes.remove(entry.identifier()) == null) {
                if (added < adds.size() && order.compare(adds.get(added), entry) == 0) {
                    throw new DeltaNotApplicableException(
                            "Expected a new file, found one that is there: " + entry.identifier());
                }
                result.add(entry);
            }
        }
        result.addAll(adds.subList(added, adds.size()));
        if (!deletes.isEmpty()) {
            throw new DeltaNotApplicableException(
                    "Expected a file to delete, found none: " + deletes.keySet().iterator().next());
        }
        return result;
    }
}
