package io.stele.cache.page.segment;

import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageKey;
import io.stele.cache.page.PageStore.Outcome;
import io.stele.cache.page.PageStoreStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The storage of pages in one directory of a {@link SegmentPageStore}: an index in memory, and
 * segment files and the index's journal on disk.
 *
 * <p>A page, or some of its units, is written into free room, then added to the index, then to the
 * journal. None of these writes is synced or ordered. A block verifies only for the page that it
 * was written for ({@link io.stele.cache.page.PageBlocks}), so a crash can only lose pages.
 *
 * <p>A reader finds a page under the lock and reads it without the lock. If another page gets the
 * room meanwhile, the blocks do not verify; then the reader finds in the index that the page has
 * moved, and searches it again.
 *
 * <p>Thread-safe. Lock order: journal, then index; no file is touched under the index lock.
 */
final class SegmentDirectory {
    /**
     * The number of consecutive failed reads and writes after which the directory is taken out of
     * use.
     */
    static final int MAX_FAILURES = 8;

    /** The time after a failed write in which no fresh space is used. */
    private static final long FULL_NANOS = 60_000_000_000L;

    /** The greatest age of the order of use on disk, in a cache that changes. */
    private static final long CHECKPOINT_NANOS = 300_000_000_000L;

    /** How often a page is searched or written again after other threads moved it. */
    private static final int MAX_MOVES = 3;

    private final String name;
    private final SegmentStoreOptions options;
    private final int unitPayloadBytes;
    private final CacheFiles files;
    private final SegmentFiles segments;
    private final IndexFile indexFile;
    private final LongSupplier nanoTime;

    private final ReentrantLock lock = new ReentrantLock();

    // @GuardedBy("lock")
    private final PageIndex index;

    // @GuardedBy("lock")
    private final TableNumbers tables = new TableNumbers();

    // @GuardedBy("lock"): reserved shares, by table
    private final Map<String, Double> shares;

    // @GuardedBy("lock"): while the disk is full
    private long growAgainAt;

    // @GuardedBy("lock")
    private boolean full;

    private final ReentrantLock journalLock = new ReentrantLock();

    // @GuardedBy("journalLock")
    private long checkpointAt;

    // @GuardedBy("journalLock"): tables in the file, from number 0
    private int journaledTables = 1;

    private final AtomicInteger failures = new AtomicInteger();
    private final LongAdder puts = new LongAdder();
    private final LongAdder rejections = new LongAdder();
    private final LongAdder damaged = new LongAdder();
    private final LongAdder removed = new LongAdder();
    private final LongAdder writeFailures = new LongAdder();
    private final long maxBytes;
    private boolean emptied; // written before this is published

    private SegmentDirectory(
            String name,
            long maxBytes,
            SegmentStoreOptions options,
            CacheFiles files,
            ScratchBuffers scratch,
            LongSupplier nanoTime,
            RandomGenerator random) {
        this.name = name;
        this.maxBytes = maxBytes;
        this.options = options;
        this.unitPayloadBytes = options.geometry().unitPayloadBytes();
        this.files = files;
        this.nanoTime = nanoTime;
        int units = options.units(maxBytes);
        this.shares = new HashMap<>(options.shares());
        this.index =
                new PageIndex(
                        units, options.geometry().unitsPerPage(), random, options.admission());
        this.segments = new SegmentFiles(options, units, files, scratch);
        this.indexFile = new IndexFile(options, files);
        this.checkpointAt = nanoTime.getAsLong() + CHECKPOINT_NANOS;
    }

    /**
     * Opens a directory with the pages of an earlier process. It owns {@code files} from now on,
     * and closes them on every failure.
     */
    static SegmentDirectory open(
            String name,
            long maxBytes,
            SegmentStoreOptions options,
            CacheFiles files,
            ScratchBuffers scratch,
            LongSupplier nanoTime,
            RandomGenerator random)
            throws IOException {
        SegmentDirectory directory = null;
        boolean opened = false;
        try {
            directory =
                    new SegmentDirectory(name, maxBytes, options, files, scratch, nanoTime, random);
            directory.recover();
            opened = true;
            return directory;
        } finally {
            if (!opened) {
                if (directory == null) {
                    files.close();
                } else {
                    directory.abandon();
                }
            }
        }
    }

    private void recover() throws IOException {
        files.delete(IndexFile.NEW_NAME);
        Map<Integer, Integer> segmentUnits = segmentUnits();
        boolean hadIndex = indexFile.exists();
        Recovery recovery = new Recovery(segmentUnits);
        if (hadIndex && indexFile.replay(recovery::addTable, recovery::addPage)) {
            recovery.finish();
            journaledTables = tables.size();
            return;
        }
        emptied = hadIndex;
        deleteSegments(segmentUnits);
        indexFile.rewrite(target -> 0);
    }

    /**
     * Whether the directory had another layout when it was opened, so that its files were deleted.
     */
    boolean isEmptied() {
        return emptied;
    }

    /**
     * The number of units of each segment, a partial last unit included. Deletes segments beyond
     * the limit, if it was lowered.
     */
    private Map<Integer, Integer> segmentUnits() throws IOException {
        Map<Integer, Integer> result = new HashMap<>();
        for (String file : files.list()) {
            OptionalInt segment = SegmentFiles.segment(file);
            if (segment.isEmpty()) {
                continue;
            }
            long first = (long) segment.getAsInt() * options.unitsPerSegment();
            int capacity = index.allocator().capacity();
            long units = first >= capacity ? 0 : unitsOf(file);
            if (first + units > capacity || units == 0) {
                files.delete(file);
            } else {
                result.put(segment.getAsInt(), (int) units);
            }
        }
        return result;
    }

    private long unitsOf(String segment) throws IOException {
        try (CacheFiles.CacheFile file = files.open(segment)) {
            return Math.ceilDiv(file.sizeBytes(), (long) options.geometry().unitBytes());
        }
    }

    private void deleteSegments(Map<Integer, Integer> segmentUnits) throws IOException {
        for (int segment : segmentUnits.keySet()) {
            files.delete(SegmentFiles.name(segment));
        }
    }

    /**
     * The recovery of the index from the records of a journal: tables, then pages from the newest
     * on.
     */
    private final class Recovery {
        private final Map<Integer, Integer> segmentUnits;
        private final Map<Integer, Integer> numbers = new HashMap<>();

        /** The units in the records so far, restored or ignored. */
        private final BitSet seen = new BitSet();

        Recovery(Map<Integer, Integer> segmentUnits) {
            this.segmentUnits = segmentUnits;
        }

        void addTable(IndexJournal.Record record) {
            numbers.put(record.table(), tableNumber(record.name()));
        }

        /** Restores a page, unless a newer record has the same page or some of its room. */
        void addPage(PutRecord page) {
            boolean isNewest = index.find(page.key()) == PageEntries.NONE;
            boolean isPossible = page.mask() != 0;
            for (int group = 0; group < Places.GROUPS; group++) {
                int place = page.places()[group];
                int units = Places.ofGroup(page.mask(), group);
                if (place != Places.NONE || units != 0) {
                    isPossible &= isPossible(place, units) && see(place);
                }
            }
            if (isNewest && isPossible && page.mask() < 1 << options.geometry().unitsPerPage()) {
                index.restore(page, numbers.getOrDefault(page.table(), TableNumbers.OTHERS));
            }
        }

        private boolean isPossible(int place, int units) {
            if (place < 0 || units == 0) {
                return false;
            }
            int first = Places.firstUnit(place);
            int room = Places.space(place);
            int capacity = index.allocator().capacity();
            int lastUsed = Places.isWhole(place) ? first + Places.highest(units) : first;
            int present = segmentUnits.getOrDefault(options.segment(first), 0);
            return first <= capacity - room
                    && (Places.isWhole(place)
                            ? first % Places.GROUP == 0
                            : Integer.bitCount(units) == 1)
                    && lastUsed % options.unitsPerSegment() < present;
        }

        /** Whether no newer record has some of this room; marks the room. */
        private boolean see(int place) {
            int first = Places.firstUnit(place);
            int end = first + Places.space(place);
            int seenFirst = seen.nextSetBit(first);
            seen.set(first, end);
            return seenFirst < 0 || seenFirst >= end;
        }

        /** Ends the recovery; space that is on disk already is allocated first. */
        void finish() {
            index.restored();
            segmentUnits.forEach(
                    (segment, units) ->
                            index.allocator()
                                    .markWritten(segment * options.unitsPerSegment() + units - 1));
        }
    }

    // @GuardedBy("lock"), or before the directory is published
    private int tableNumber(String table) {
        int before = tables.size();
        int number = tables.number(table);
        if (tables.size() > before) {
            index.reserve(number, units(shares.getOrDefault(table, 0.0)));
        }
        return number;
    }

    private int units(double share) {
        return (int) (share * index.allocator().capacity());
    }

    /** Reserves a share of the space for a table from now on; see {@link SegmentStoreOptions}. */
    void reserve(String table, double share) {
        lock.lock();
        try {
            shares.put(table, share);
            OptionalInt number = tables.find(table);
            if (number.isPresent()) {
                index.reserve(number.getAsInt(), units(share));
            }
        } finally {
            lock.unlock();
        }
    }

    String name() {
        return name;
    }

    /** The number of full pages that fit. */
    long maxPages() {
        return index.allocator().capacity() / options.geometry().unitsPerPage();
    }

    /**
     * Whether {@value #MAX_FAILURES} operations in a row failed, so that the directory is taken out
     * of use.
     */
    boolean hasFailed() {
        return failures.get() >= MAX_FAILURES;
    }

    boolean contains(PageKey key) {
        lock.lock();
        try {
            return index.find(key) != PageEntries.NONE;
        } finally {
            lock.unlock();
        }
    }

    /** See {@link io.stele.cache.page.PageStore#contains}. */
    boolean contains(PageKey key, int offset, int length) {
        lock.lock();
        try {
            int entry = index.find(key);
            return entry != PageEntries.NONE && hasUnits(entry, offset, length);
        } finally {
            lock.unlock();
        }
    }

    // @GuardedBy("lock")
    private boolean hasUnits(int entry, int offset, int length) {
        int wanted = units(offset, length);
        return (index.entries().mask(entry) & wanted) == wanted;
    }

    /** The units of a page that overlap a range, one bit each. */
    private int units(int offset, int length) {
        return Places.range(offset / unitPayloadBytes, options.geometry().units(offset + length));
    }

    /**
     * The key that blocks are verified with. Blocks of a short last page of a file verify only for
     * this page length.
     */
    private PageKey blockKey(PageKey key, int pageLength) {
        return pageLength == options.geometry().pageBytes()
                ? key
                : new PageKey(key.high(), key.low() ^ PageKey.mix(pageLength));
    }

    /**
     * See {@link io.stele.cache.page.PageStore#read}.
     *
     * @param pageLength of the whole page
     */
    Outcome read(
            PageKey key, int pageLength, int offset, byte[] buffer, int bufferOffset, int length) {
        int[] places = new int[Places.GROUPS];
        PageKey blockKey = blockKey(key, pageLength);
        for (int attempt = 0; locate(key, offset, length, places); attempt++) {
            try {
                if (segments.read(blockKey, places, offset, buffer, bufferOffset, length)) {
                    if (failures.get() > 0) {
                        failures.set(0);
                    }
                    return Outcome.HIT;
                }
            } catch (IOException e) {
                failures.incrementAndGet();
            }
            if (dropDamaged(key, places)) {
                return Outcome.DAMAGED;
            }
            if (attempt == MAX_MOVES) {
                return Outcome.MISS;
            }
        }
        return Outcome.MISS;
    }

    private boolean locate(PageKey key, int offset, int length, int[] places) {
        lock.lock();
        try {
            int entry = index.use(key);
            if (entry == PageEntries.NONE || !hasUnits(entry, offset, length)) {
                return false;
            }
            for (int group = 0; group < places.length; group++) {
                places[group] = index.entries().place(entry, group);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Drops a damaged page, unless it was evicted or moved meanwhile; units may have been added to
     * it.
     */
    private boolean dropDamaged(PageKey key, int[] places) {
        lock.lock();
        try {
            int entry = index.find(key);
            if (entry == PageEntries.NONE) {
                return false;
            }
            for (int group = 0; group < places.length; group++) {
                if (places[group] != Places.NONE
                        && places[group] != index.entries().place(entry, group)) {
                    return false;
                }
            }
            index.remove(entry);
        } finally {
            lock.unlock();
        }
        damaged.increment();
        return true;
    }

    /**
     * See {@link io.stele.cache.page.PageStore#put}.
     *
     * @param pageLength of the whole page
     */
    boolean put(
            PageKey key,
            String table,
            int pageLength,
            int pageOffset,
            byte[] bytes,
            int offset,
            int length) {
        int wanted = units(pageOffset, length);
        for (int attempt = 0; attempt <= MAX_MOVES; attempt++) {
            Optional<Placement> room = place(key, wanted, table);
            if (room.isEmpty()) {
                rejections.increment();
                return false;
            }
            Placement placement = room.get();
            if (placement.mask() == 0) {
                return true;
            }
            try {
                segments.write(
                        blockKey(key, pageLength),
                        placement,
                        pageLength,
                        pageOffset,
                        bytes,
                        offset,
                        length);
            } catch (IOException e) {
                writeFailed(placement);
                return false;
            }
            if (publish(placement, wanted, table)) {
                return true;
            }
        }
        return false;
    }

    private Optional<Placement> place(PageKey key, int wanted, String table) {
        lock.lock();
        try {
            growAgain();
            return index.place(key, wanted, tableNumber(table));
        } finally {
            lock.unlock();
        }
    }

    // @GuardedBy("lock")
    private boolean isFresh(Placement placement) {
        for (int unit = 0; unit < PageGeometry.MAX_UNITS; unit++) {
            if (((placement.mask() | placement.copied()) & 1 << unit) != 0
                    && Places.unit(placement.place(unit / Places.GROUP), unit)
                            >= index.allocator().written()) {
                return true;
            }
        }
        return false;
    }

    // @GuardedBy("lock")
    private void growAgain() {
        if (full && nanoTime.getAsLong() - growAgainAt >= 0) {
            full = false;
            index.allocator().resumeGrowth();
        }
    }

    /**
     * Handles a failed write. A failed write into fresh space, or on a disk without free space,
     * means that the disk is full: the cache continues with its present space, and tries again
     * later. Any other failed write means a failing disk. Segments have holes for unwritten units
     * of a group, so a unit that is not fresh may also need new disk space.
     */
    private void writeFailed(Placement placement) {
        writeFailures.increment();
        boolean noSpace = hasNoSpace();
        boolean isFull;
        lock.lock();
        try {
            isFull = noSpace || isFresh(placement);
            index.cancel(placement);
            if (isFull) {
                full = true;
                growAgainAt = nanoTime.getAsLong() + FULL_NANOS;
                index.allocator().stopGrowth();
            }
        } finally {
            lock.unlock();
        }
        if (!isFull) {
            failures.incrementAndGet();
        }
    }

    private boolean hasNoSpace() {
        try {
            return files.usableBytes() < Places.GROUP * (long) options.geometry().unitBytes();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Adds written units to the index, unless another thread added them first.
     *
     * @return whether the page has all wanted units now
     */
    private boolean publish(Placement placement, int wanted, String table) {
        ByteBuffer record = ByteBuffer.allocate(IndexJournal.PAGE_RECORD_BYTES);
        boolean complete;
        lock.lock();
        try {
            int entry = index.publish(placement, tableNumber(table));
            if (entry == PageEntries.NONE) {
                return false;
            }
            complete = (index.entries().mask(entry) & wanted) == wanted;
            IndexJournal.page(record(entry), record);
        } finally {
            lock.unlock();
        }
        puts.increment();
        append(record.flip());
        return complete;
    }

    // @GuardedBy("lock")
    private PutRecord record(int entry) {
        PageEntries entries = index.entries();
        return new PutRecord(
                new PageKey(entries.high(entry), entries.low(entry)),
                entries.table(entry),
                entries.queue(entry),
                entries.mask(entry),
                index.placesOf(entry),
                index.frequency(entry));
    }

    /** Appends a record to the journal. A failure only loses pages at the next start. */
    private void append(ByteBuffer record) {
        journalLock.lock();
        try {
            boolean late = nanoTime.getAsLong() - checkpointAt >= 0;
            if (late || indexFile.isOpen() && indexFile.isOvergrown(pages())) {
                checkpoint();
            } else if (indexFile.isOpen()) {
                appendTables();
                indexFile.append(record);
            }
        } catch (IOException e) {
            writeFailures.increment();
        } finally {
            journalLock.unlock();
        }
    }

    // @GuardedBy("journalLock")
    private void appendTables() throws IOException {
        for (; journaledTables < tableCount(); journaledTables++) {
            indexFile.append(IndexJournal.table(journaledTables, tableName(journaledTables)));
        }
    }

    private int tableCount() {
        lock.lock();
        try {
            return tables.size();
        } finally {
            lock.unlock();
        }
    }

    private String tableName(int number) {
        lock.lock();
        try {
            return tables.name(number);
        } finally {
            lock.unlock();
        }
    }

    private int pages() {
        lock.lock();
        try {
            return index.entries().size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Rewrites the index with its present pages in the order of last use. The order is copied under
     * the lock, which takes some milliseconds for 100,000 pages.
     */
    // @GuardedBy("journalLock")
    private void checkpoint() throws IOException {
        checkpointAt = nanoTime.getAsLong() + CHECKPOINT_NANOS;
        int tablesNow = tableCount();
        int[] order;
        lock.lock();
        try {
            order = index.inOrder();
        } finally {
            lock.unlock();
        }
        indexFile.rewrite(
                new IndexFile.Source() {
                    private int table = 1;
                    private int next;

                    @Override
                    public int fill(ByteBuffer target) {
                        int count = 0;
                        while (table < tablesNow
                                && target.remaining() > IndexJournal.MAX_NAME_BYTES + 12) {
                            target.put(IndexJournal.table(table, tableName(table)));
                            table++;
                            count++;
                        }
                        if (table < tablesNow) {
                            return count;
                        }
                        int from = next;
                        next = encode(order, from, target);
                        return count + next - from;
                    }
                });
        journaledTables = tablesNow;
    }

    /**
     * Encodes the present state of the entries that still exist; returns the position of the next
     * entry.
     */
    private int encode(int[] order, int from, ByteBuffer target) {
        int next = from;
        lock.lock();
        try {
            while (next < order.length && target.remaining() >= IndexJournal.PAGE_RECORD_BYTES) {
                int entry = order[next++];
                if (index.entries().queue(entry) != QueueKind.NONE) {
                    IndexJournal.page(record(entry), target);
                }
            }
        } finally {
            lock.unlock();
        }
        return next;
    }

    void remove(PageKey key) {
        lock.lock();
        try {
            int entry = index.find(key);
            if (entry != PageEntries.NONE) {
                index.remove(entry);
                removed.increment();
            }
        } finally {
            lock.unlock();
        }
    }

    PageStoreStatistics statistics() {
        long indexBytes;
        journalLock.lock();
        try {
            indexBytes = indexFile.sizeBytes();
        } finally {
            journalLock.unlock();
        }
        lock.lock();
        try {
            long units = Math.max(index.allocator().written(), index.allocator().used());
            return new PageStoreStatistics(
                    index.entries().size(),
                    units * options.geometry().unitBytes() + indexBytes,
                    maxBytes,
                    puts.sum(),
                    index.evictions(),
                    rejections.sum(),
                    damaged.sum(),
                    removed.sum(),
                    writeFailures.sum(),
                    1,
                    0);
        } finally {
            lock.unlock();
        }
    }

    /** Rewrites the index file and closes the directory. */
    void close() {
        journalLock.lock();
        try {
            checkpoint();
        } catch (IOException e) {
            writeFailures.increment();
        } finally {
            journalLock.unlock();
            abandon();
        }
    }

    /** Closes the directory without writing anything; all files are closed even if one fails to. */
    void abandon() {
        journalLock.lock();
        try (files;
                segments;
                indexFile) {
            // Closes in reverse order, also after a failure
        } catch (IOException e) {
            writeFailures.increment();
        } finally {
            journalLock.unlock();
        }
    }
}
