package io.stele.columnfile.index;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.objectstore.retrieval.GapRule;
import io.stele.objectstore.retrieval.RangePlanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A prefetch of the blocks that lookups of some keys in a sorted file need and that are not in
 * memory. It makes few independent requests, first for parts of the index, then for entry blocks.
 * The blocks enter the block cache, and {@link SortedFileReader#holding the same reader} holds them
 * for lookups. Confined to one thread at a time.
 */
public final class SortedFilePrefetch {
    /**
     * Gaps of up to 256 KiB at 30 ms a request and 20 ms a MiB, and so requests of up to 512 KiB:
     * their bytes add a third to the time of a request. Of less than 32 KiB nothing is saved; 1 MiB
     * are 256 blocks that nobody wants.
     */
    private static final GapRule GAP = new GapRule(256 << 10, 32 << 10, 1 << 20);

    /** If at most this many files may have a key, each is likely to have it. */
    private static final int FEW_FILES = 8;

    /** 4 KiB: the block size of a key index, see {@link BlockFileOptions#KEY_INDEX}. */
    private static final long BLOCK_BYTES = 4 << 10;

    private final SortedFileReader file;
    private final boolean filters;
    private final Map<Integer, List<Probe>> probes = new TreeMap<>(); // by part of the index

    /**
     * @param filters whether the Bloom filter decides which keys the file may have
     */
    SortedFilePrefetch(SortedFileReader file, boolean filters) {
        this.file = requireNonNull(file, "file is null");
        this.filters = filters;
    }

    /** Whether a key with this number of candidate files is likely to be in each of them. */
    public static boolean isLikely(int candidates) {
        return candidates <= FEW_FILES;
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Probe(byte[] key, long hash, boolean isLikely) {}

    /**
     * Adds a key that will be looked up.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     * @param isLikely whether to read its entry block without waiting for the filter
     */
    public void add(byte[] key, long hash, boolean isLikely) {
        int index = file.findPartition(key);
        if (index < file.partitionCount()) {
            probes.computeIfAbsent(index, _ -> new ArrayList<>())
                    .add(new Probe(key, hash, isLikely));
        }
    }

    /**
     * Bytes of the index that will be read for a key, without bytes that keys added before need,
     * too.
     */
    public long newIndexBytes(byte[] key) {
        int index = file.findPartition(key);
        return index == file.partitionCount()
                        || probes.containsKey(index)
                        || file.findCached(index).isPresent()
                ? 0
                : file.partitionRange(index).length();
    }

    /**
     * The approximate bytes of entry blocks that will be read for a key, if the file has it,
     * without bytes that keys added before need, too.
     */
    public long newBlockBytes(byte[] key) {
        int index = file.findPartition(key);
        if (index == file.partitionCount()) {
            return 0;
        }
        long known = probes.getOrDefault(index, List.of()).size() * BLOCK_BYTES;
        return Math.clamp(file.entryBytes(index) - known, 0, BLOCK_BYTES);
    }

    /**
     * Reads the blocks of several files in two rounds. Failures are ignored: lookups read the
     * missing blocks themselves.
     */
    public static void readAll(Collection<SortedFilePrefetch> files, ParallelReads parallel)
            throws IOException {
        List<ParallelReads.Read> reads = new ArrayList<>();
        for (SortedFilePrefetch file : files) {
            ParallelReads.hint(() -> reads.addAll(file.readIndex(parallel))).run();
        }
        parallel.tryAll(reads);
        reads.clear();
        for (SortedFilePrefetch file : files) {
            ParallelReads.hint(() -> reads.addAll(file.readBlocks(parallel))).run();
        }
        parallel.tryAll(reads);
    }

    /**
     * The reads of the parts of the index. A short part that is likely to have a key is read
     * together with the entry blocks before it, of which the needed ones are held.
     *
     * @param parallel runs the reads
     */
    public List<ParallelReads.Read> readIndex(ParallelReads parallel) {
        RangePlanner planner = parallel.planner(GAP);
        List<Integer> parts = new ArrayList<>();
        List<ByteRange> ranges = new ArrayList<>();
        probes.forEach(
                (index, keys) -> {
                    if (file.findCached(index).isEmpty()) {
                        parts.add(index);
                        ranges.add(
                                keys.stream().anyMatch(Probe::isLikely)
                                        ? file.partitionSpan(index, planner.maxRequestBytes())
                                        : file.partitionRange(index));
                    }
                });
        List<ParallelReads.Read> reads = new ArrayList<>();
        for (RangePlanner.Planned request : planner.merge(ranges)) {
            reads.add(
                    () ->
                            readParts(
                                    request.range(),
                                    request.wanted().stream().map(parts::get).toList()));
        }
        return reads;
    }

    private void readParts(ByteRange range, List<Integer> parts) throws IOException {
        long start = file.nanoTime();
        byte[] stored = file.readStored(range);
        for (int index : parts) {
            IndexPartition part = file.cachePartition(index, stored, range.offset(), start);
            for (BlockHandle block : wantedBlocks(part, probes.getOrDefault(index, List.of()))) {
                if (range.contains(new ByteRange(block.offset(), block.length()))) {
                    file.cacheBlock(block, stored, range.offset(), start);
                }
            }
        }
    }

    /**
     * The reads of the entry blocks that may have the keys, by the filters.
     *
     * @param parallel runs the reads
     */
    public List<ParallelReads.Read> readBlocks(ParallelReads parallel) {
        RangePlanner planner = parallel.planner(GAP);
        List<BlockHandle> blocks = new ArrayList<>();
        probes.forEach(
                (index, keys) ->
                        file.findCached(index)
                                .ifPresent(part -> blocks.addAll(wantedBlocks(part, keys))));
        List<ParallelReads.Read> reads = new ArrayList<>();
        for (RangePlanner.Planned request :
                planner.merge(
                        blocks.stream()
                                .map(block -> new ByteRange(block.offset(), block.length()))
                                .toList())) {
            reads.add(
                    () -> {
                        long start = file.nanoTime();
                        byte[] stored = file.readStored(request.range());
                        for (int number : request.wanted()) {
                            file.cacheBlock(
                                    blocks.get(number), stored, request.range().offset(), start);
                        }
                    });
        }
        return reads;
    }

    /** The entry blocks that may have the keys and are not in memory. */
    private Set<BlockHandle> wantedBlocks(IndexPartition part, List<Probe> keys) {
        Set<BlockHandle> blocks = new LinkedHashSet<>();
        for (Probe probe : keys) {
            if (mayContain(part, probe)) {
                blocks.add(part.block(part.findBlock(probe.key())));
            }
        }
        blocks.removeIf(file::isCached);
        return blocks;
    }

    /** False only if none of the keys is in the file according to the parts in memory. */
    public boolean mayHaveSome() {
        return probes.entrySet().stream()
                .anyMatch(
                        part -> {
                            Optional<IndexPartition> cached = file.findCached(part.getKey());
                            return cached.isEmpty()
                                    || part.getValue().stream()
                                            .anyMatch(probe -> mayContain(cached.get(), probe));
                        });
    }

    private boolean mayContain(IndexPartition part, Probe probe) {
        return !filters || part.mayContain(probe.hash());
    }
}
