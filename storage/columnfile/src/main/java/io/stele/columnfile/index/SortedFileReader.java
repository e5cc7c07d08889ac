package io.stele.columnfile.index;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.bytes.ByteSource;
import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.index.EntryBlock.Found;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.SequentialReads;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.protocol.row.KeyBytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The common reader of SST files and key indexes. It holds the top of the index in memory, and
 * reads parts of index and filter and entry blocks through the block cache. Immutable and
 * thread-safe; cursors are not.
 */
final class SortedFileReader {
    /**
     * One of this many accesses that bypass the cache is reported to it, which is enough to show
     * frequent use. An odd number, because accesses alternate between parts and blocks.
     */
    static final int USES_COUNTED = 127;

    private final BlockFileReader file;
    private final BlockCache cache;
    private final SortedKeys lastKeys;
    private final long[] offsets;
    private final int[] filterLengths;
    private final int[] indexLengths;
    private final long[] firstOrdinals; // one more than parts; the last is the entry count
    private final long entryCount;
    private final long keyCount;
    private final byte[] firstKey;
    private final byte[] lastKey;
    private final byte[] added;
    private final BlockSlots kept; // parts of the index that are in the cache
    private final @Nullable HeldBlocks held; // blocks held apart from the cache

    private SortedFileReader(BlockFileReader.Opened opened, BlockCache cache) throws IOException {
        this.file = opened.file();
        this.cache = cache;
        ByteSource footer = file.footer();
        int count = footer.readVarint32("parts of the index");
        offsets = new long[count];
        filterLengths = new int[count];
        indexLengths = new int[count];
        firstOrdinals = new long[count + 1];
        kept = new BlockSlots(count);
        held = null;
        lastKeys = count == 0 ? SortedKeys.none() : readTop(opened, file.readHandle(footer));
        entryCount = footer.readVarint();
        keyCount = footer.readVarint();
        firstKey = footer.readSizedBytes();
        lastKey = footer.readSizedBytes();
        added = footer.readBytes(footer.remaining());
        if (firstOrdinals[count] != entryCount) {
            throw Corruption.mismatch(
                    file.path(),
                    file.sizeBytes(),
                    "entries in the index",
                    entryCount,
                    firstOrdinals[count]);
        }
    }

    /**
     * A reader of the same file that reads every block that is not held by another object reader.
     */
    private SortedFileReader(
            SortedFileReader same, BlockFileReader file, @Nullable HeldBlocks held) {
        this.file = file;
        this.cache = same.cache;
        this.lastKeys = same.lastKeys;
        this.offsets = same.offsets;
        this.filterLengths = same.filterLengths;
        this.indexLengths = same.indexLengths;
        this.firstOrdinals = same.firstOrdinals;
        this.entryCount = same.entryCount;
        this.keyCount = same.keyCount;
        this.firstKey = same.firstKey;
        this.lastKey = same.lastKey;
        this.added = same.added;
        this.kept = same.kept;
        this.held = held;
    }

    static SortedFileReader open(
            ObjectStore store, String path, long sizeBytes, FileFormat format, BlockCache cache)
            throws IOException {
        return of(BlockFileReader.open(store, path, sizeBytes, format), cache);
    }

    static SortedFileReader of(BlockFileReader.Opened opened, BlockCache cache) throws IOException {
        return new SortedFileReader(opened, requireNonNull(cache, "cache is null"));
    }

    /**
     * A reader of the same file for cursors that read it from beginning to end and bypass the
     * cache.
     */
    SortedFileReader sequential(SequentialReads reads) {
        return sequential(reads, 0, partitionCount() - 1);
    }

    /**
     * As {@link #sequential(SequentialReads)}, for cursors that read the keys from {@code low} on,
     * and below {@code high} if there is one.
     */
    SortedFileReader sequential(SequentialReads reads, byte[] low, byte @Nullable [] high) {
        int last = high == null ? partitionCount() - 1 : findPartition(high);
        return sequential(reads, findPartition(low), Math.min(last, partitionCount() - 1));
    }

    private SortedFileReader sequential(SequentialReads reads, int first, int last) {
        return new SortedFileReader(
                this, file.through(reads.over(file.reader(), sequentialPlan(first, last))), held);
    }

    /**
     * A reader of the same file that uses held blocks before the cache, and holds prefetched
     * blocks.
     */
    SortedFileReader holding(HeldBlocks blocks) {
        return new SortedFileReader(this, file, requireNonNull(blocks, "blocks is null"));
    }

    /**
     * The ranges in the order in which a cursor needs them: each part of the index, then the entry
     * blocks before it.
     *
     * @param first part of the index; {@code last} is the last one that is read
     */
    private List<ByteRange> sequentialPlan(int first, int last) {
        List<ByteRange> plan = new ArrayList<>();
        long start =
                first == 0
                        ? BlockFileWriter.HEADER_LENGTH
                        : offsets[first - 1] + filterLengths[first - 1] + indexLengths[first - 1];
        for (int part = first; part <= last; part++) {
            int length = filterLengths[part] + indexLengths[part];
            plan.add(new ByteRange(offsets[part], length));
            if (offsets[part] > start) {
                plan.add(new ByteRange(start, Math.toIntExact(offsets[part] - start)));
            }
            start = offsets[part] + length;
        }
        if (last == offsets.length - 1 && file.blocksEnd() > start) {
            plan.add(new ByteRange(start, Math.toIntExact(file.blocksEnd() - start)));
        }
        return plan;
    }

    private SortedKeys readTop(BlockFileReader.Opened opened, BlockHandle handle)
            throws IOException {
        EntryBlock top = EntryBlock.of(file.path(), handle.offset(), opened.readBlock(handle));
        if (top.entryCount != offsets.length) {
            throw Corruption.mismatch(
                    file.path(),
                    handle.offset(),
                    "parts of the index",
                    offsets.length,
                    top.entryCount);
        }
        EntryCursor cursor = new EntryCursor(top);
        for (int i = 0; cursor.next(); i++) {
            ByteSource value = cursor.value();
            BlockHandle filter = file.readHandle(value);
            offsets[i] = filter.offset();
            filterLengths[i] = filter.length();
            indexLengths[i] = value.readVarint32("length of a part of the index");
            firstOrdinals[i + 1] = firstOrdinals[i] + value.readVarint();
            value.requireEnd();
        }
        return SortedKeys.of(top);
    }

    String path() {
        return file.path();
    }

    /** The version of the file's format. */
    int version() {
        return file.version();
    }

    long sizeBytes() {
        return file.sizeBytes();
    }

    long entryCount() {
        return entryCount;
    }

    long keyCount() {
        return keyCount;
    }

    byte[] firstKey() {
        return firstKey.clone();
    }

    byte[] lastKey() {
        return lastKey.clone();
    }

    /** Reads the handle of an additional block of the kind of file. */
    BlockHandle readHandle(ByteSource footer) {
        return file.readHandle(footer);
    }

    /** Reads an additional block of the kind of file. */
    byte[] readBlock(BlockHandle handle) throws IOException {
        return file.readBlock(handle);
    }

    /** The additional part of the footer of the kind of file. */
    ByteSource added() {
        return new ByteSource(file.path(), file.sizeBytes(), added);
    }

    /** The additional part of the footer of a file from which nothing else is read. */
    static ByteSource added(BlockFileReader file) {
        ByteSource footer = file.footer();
        if (footer.readVarint32("parts of the index") > 0) {
            file.readHandle(footer);
        }
        footer.readVarint(); // entries
        footer.readVarint(); // distinct keys
        footer.readSizedBytes(); // first key
        footer.readSizedBytes(); // last key
        return new ByteSource(file.path(), file.sizeBytes(), footer.readBytes(footer.remaining()));
    }

    /** Memory of the top of the index, in bytes. */
    long retainedBytes() {
        return lastKeys.retainedBytes() + 24L * offsets.length + kept.retainedBytes();
    }

    int partitionCount() {
        return offsets.length;
    }

    /**
     * A part of the index and its filter, which are adjacent and are read together.
     *
     * @param cached whether to use the cache; false for data that is read once, as by compactions
     */
    IndexPartition partition(int index, boolean cached) throws IOException {
        if (!cached) {
            return loadPartition(index);
        }
        return findHeld(offsets[index]) instanceof IndexPartition present
                ? present
                : cache.partition(file.path(), offsets[index], () -> loadPartition(index));
    }

    private @Nullable CachedBlock findHeld(long offset) {
        return held == null ? null : held.find(file.path(), offset).orElse(null);
    }

    private IndexPartition loadPartition(int index) throws IOException {
        return partition(index, file.readAdjacent(filterHandle(index), indexHandle(index)));
    }

    private BlockHandle filterHandle(int index) {
        return new BlockHandle(offsets[index], filterLengths[index]);
    }

    private BlockHandle indexHandle(int index) {
        return new BlockHandle(offsets[index] + filterLengths[index], indexLengths[index]);
    }

    /**
     * @param blocks the payloads of its filter and of its index
     */
    private IndexPartition partition(int index, byte[][] blocks) {
        return IndexPartition.of(
                file,
                BloomFilter.of(file.path(), filterHandle(index).offset(), blocks[0]),
                EntryBlock.of(file.path(), indexHandle(index).offset(), blocks[1]),
                firstOrdinals[index],
                firstOrdinals[index + 1] - firstOrdinals[index]);
    }

    /** The range of a part of the index, with its filter. */
    ByteRange partitionRange(int index) {
        return new ByteRange(offsets[index], filterLengths[index] + indexLengths[index]);
    }

    /**
     * The range of a part of the index with its filter and the entry blocks that it indexes, which
     * are before it; without the entry blocks if this is longer than {@code maxBytes}.
     */
    ByteRange partitionSpan(int index, int maxBytes) {
        ByteRange part = partitionRange(index);
        long entries = entryBytes(index); // gigabytes if values are long
        return entries + part.length() <= maxBytes
                ? new ByteRange(part.offset() - entries, (int) (entries + part.length()))
                : part;
    }

    /** The bytes of the entry blocks of a part of the index. */
    long entryBytes(int index) {
        long start = index == 0 ? BlockFileWriter.HEADER_LENGTH : partitionRange(index - 1).end();
        return partitionRange(index).offset() - start;
    }

    /** The part of the index if it is in memory; holds it. */
    Optional<IndexPartition> findCached(int index) {
        return present(offsets[index]).map(IndexPartition.class::cast);
    }

    /** Whether an entry block is in memory; holds it. */
    boolean isCached(BlockHandle block) {
        return present(block.offset()).isPresent();
    }

    private Optional<CachedBlock> present(long offset) {
        CachedBlock present = findHeld(offset);
        if (present != null) {
            return Optional.of(present);
        }
        Optional<CachedBlock> cached = cache.find(file.path(), offset);
        cached.ifPresent(block -> hold(offset, block));
        return cached;
    }

    private void hold(long offset, CachedBlock block) {
        if (held != null) {
            held.add(file.path(), offset, block);
        }
    }

    byte[] readStored(ByteRange range) throws IOException {
        return file.readStored(range);
    }

    /** The clock for the start times of {@link #cachePartition} and {@link #cacheBlock}. */
    long nanoTime() {
        return cache.nanoTime();
    }

    /**
     * Adds a part of the index to the cache, and holds it.
     *
     * @param stored bytes of the file that include the part
     * @param offset of these bytes in the file
     */
    IndexPartition cachePartition(int index, byte[] stored, long offset, long startNanos) {
        IndexPartition read =
                partition(
                        index,
                        new byte[][] {
                            decode(filterHandle(index), stored, offset),
                            decode(indexHandle(index), stored, offset)
                        });
        hold(offsets[index], read);
        cache.put(file.path(), offsets[index], read, startNanos);
        return read;
    }

    /** Adds an entry block to the cache, and holds it, as {@link #cachePartition}. */
    void cacheBlock(BlockHandle block, byte[] stored, long offset, long startNanos) {
        EntryBlock read = EntryBlock.of(file.path(), block.offset(), decode(block, stored, offset));
        hold(block.offset(), read);
        cache.put(file.path(), block.offset(), read, startNanos);
    }

    private byte[] decode(BlockHandle block, byte[] stored, long offset) {
        return BlockFrame.decode(
                file.path(),
                block.offset(),
                stored,
                Math.toIntExact(block.offset() - offset),
                block.length());
    }

    /** Reads an entry block through the cache. */
    EntryBlock block(IndexPartition partition, int block) throws IOException {
        BlockHandle handle = partition.block(block);
        return findHeld(handle.offset()) instanceof EntryBlock present
                ? present
                : cache.entries(file, handle);
    }

    /**
     * A part of the index, found in {@link BlockSlots} without a search in the cache, or else read
     * through the cache.
     *
     * @param counted whether to report {@value #USES_COUNTED} uses to the cache
     */
    IndexPartition keptPartition(int index, boolean counted) throws IOException {
        if (kept.find(index) instanceof IndexPartition present) {
            if (counted) {
                cache.used(file.path(), offsets[index], USES_COUNTED);
            }
            return present;
        }
        IndexPartition loaded = partition(index, true);
        loaded.enter(kept, index);
        return loaded;
    }

    /**
     * An entry block, found in {@link BlockSlots} without a search in the cache, or else read
     * through the cache.
     */
    EntryBlock keptBlock(IndexPartition partition, int block, boolean counted) throws IOException {
        if (partition.kept().find(block) instanceof EntryBlock present) {
            if (counted) {
                cache.used(file.path(), partition.block(block).offset(), USES_COUNTED);
            }
            return present;
        }
        EntryBlock loaded = block(partition, block);
        loaded.enter(partition.kept(), block);
        return loaded;
    }

    /** Reads an entry block without the cache, for a sequential reader. */
    EntryBlock block(IndexPartition partition, int block, ReadAhead ahead) throws IOException {
        BlockHandle handle = partition.block(block);
        return EntryBlock.of(file.path(), handle.offset(), ahead.block(file, handle));
    }

    /**
     * The first part of the index with a last key at or after {@code key}; {@link
     * #partitionCount()} if there is none.
     */
    int findPartition(byte[] key) {
        return lastKeys.firstAtOrAfter(key);
    }

    /**
     * A key below {@code end} from which on all entries below {@code end} are in one block, or are
     * of one key. Null if these are the first ones of the file.
     *
     * @param end null: behind the last key
     */
    byte @Nullable [] keyBelow(byte @Nullable [] end) throws IOException {
        if (partitionCount() == 0) {
            return null;
        }
        byte[] last = end;
        if (end != null && end.length > 0 && end[end.length - 1] == 0) {
            last = Arrays.copyOf(end, end.length - 1); // the keys below its successor end with it
        }
        int found = last == null ? partitionCount() : findPartition(last);
        boolean isBehindAll = found == partitionCount();
        int index = isBehindAll ? found - 1 : found;
        IndexPartition part = partition(index, true);
        int block = isBehindAll || last == null ? part.blockCount() - 1 : part.findBlock(last);
        if (block > 0) {
            return KeyBytes.successor(part.lastKey(block - 1));
        }
        return index == 0 ? null : KeyBytes.successor(lastKeys.key(index - 1));
    }

    /** False only if the key is certainly not in the file. */
    boolean mayContain(byte[] key, long hash) throws IOException {
        int index = findPartition(key);
        return index < partitionCount() && partition(index, true).mayContain(hash);
    }

    /** The first entry of a key and its position in the file; null if there is none. */
    @Nullable Located find(byte[] key, long hash) throws IOException {
        return new SortedFileProbe(this, false, true).find(key, hash);
    }

    /**
     * An entry of the file.
     *
     * @param ordinal its position in the file
     */
    record Located(Found entry, long ordinal) {}
}
