package io.stele.cache.page.segment;

import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageKey;
import io.stele.cache.page.PageStore.Outcome;
import io.stele.cache.page.PageStoreStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * One directory of a {@link SegmentPageStore}: an index in memory, segment files, and the index's
 * journal.
 *
 * <p>A page, or some of its units, is written into free units, then it enters the index, then the
 * journal. None of this is synced or ordered on disk: blocks verify only as what they were written
 * for ({@link io.stele.cache.page.PageBlocks}), so the worst that a crash does is that pages are
 * lost.
 *
 * <p>A reader looks a page up under the lock and reads it without. If its units are given to
 * another page meanwhile, the blocks do not verify, and the index then no longer has the page
 * there: a miss.
 *
 * <p>Thread-safe. Lock order: journal, then index; no file is touched under the index lock.
 */
final class SegmentDirectory {
    /** Failed reads and writes in a row after which the directory is to be taken out. */
    static final int MAX_FAILURES = 8;

    /** After a write failed: how long no fresh space is asked for. */
    private static final long FULL_NANOS = 60_000_000_000L;

    /** How old the recency on disk may be, in a cache that changes. */
    private static final long CHECKPOINT_NANOS = 300_000_000_000L;

    /** A unit of a page for which space is needed. */
    private static final int WANTED = 1;

    private final String name;
    private final SegmentLayout layout;
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

    // @GuardedBy("lock"): what is reserved, by table
    private final Map<String, Double> shares;

    // @GuardedBy("lock"): while the disk is full
    private long growAgainAt;

    // @GuardedBy("lock")
    private boolean full;

    private final ReentrantLock journalLock = new ReentrantLock();

    // @GuardedBy("journalLock")
    private long checkpointAt;

    // @GuardedBy("journalLock"): tables that the file has, from number 0
    private int journaledTables = 1;

    private final AtomicInteger failures = new AtomicInteger();
    private final LongAdder puts = new LongAdder();
    private final LongAdder rejections = new LongAdder();
    private final LongAdder damaged = new LongAdder();
    private final LongAdder removed = new LongAdder();
    private final LongAdder writeFailures = new LongAdder();
    private final long maxBytes;

    private SegmentDirectory(
            String name,
            long maxBytes,
            SegmentLayout layout,
            CacheFiles files,
            ScratchBuffers scratch,
            LongSupplier nanoTime,
            RandomGenerator random) {
        this.name = name;
        this.maxBytes = maxBytes;
        this.layout = layout;
        this.unitPayloadBytes = layout.geometry().unitPayloadBytes();
        this.files = files;
        this.nanoTime = nanoTime;
        int units = layout.units(maxBytes);
        this.shares = new HashMap<>(layout.shares());
        this.index = new PageIndex(units, random, layout.admission());
        this.segments = new SegmentFiles(layout, units, files, scratch);
        this.indexFile = new IndexFile(layout, files);
        this.checkpointAt = nanoTime.getAsLong() + CHECKPOINT_NANOS;
    }

    /**
     * Opens a directory with what an earlier process left in it. Owns {@code files} from now on.
     */
    static SegmentDirectory open(
            String name,
            long maxBytes,
            SegmentLayout layout,
            CacheFiles files,
            ScratchBuffers scratch,
            LongSupplier nanoTime,
            RandomGenerator random)
            throws IOException {
        SegmentDirectory directory =
                new SegmentDirectory(name, maxBytes, layout, files, scratch, nanoTime, random);
        boolean opened = false;
        try {
            directory.recover();
            opened = true;
            return directory;
        } finally {
            if (!opened) {
                directory.abandon();
            }
        }
    }

    private void recover() throws IOException {
        files.delete(IndexFile.NEW_NAME);
        Map<Integer, Integer> segmentUnits = segmentUnits();
        Recovery recovery = new Recovery(segmentUnits);
        if (!indexFile.replay(recovery::add)) {
            deleteSegments(segmentUnits);
            indexFile.rewrite(target -> 0);
            return;
        }
        recovery.finish();
        journaledTables = tables.size();
    }

    /**
     * Whole or begun units of each segment. A segment that reaches beyond the limit, which was
     * lowered, is deleted.
     */
    private Map<Integer, Integer> segmentUnits() throws IOException {
        Map<Integer, Integer> result = new HashMap<>();
        for (String file : files.list()) {
            OptionalInt segment = SegmentFiles.segment(file);
            if (segment.isEmpty()) {
                continue;
            }
            long first = (long) segment.getAsInt() * layout.unitsPerSegment();
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
            return Math.ceilDiv(file.sizeBytes(), (long) layout.geometry().unitBytes());
        }
    }

    private void deleteSegments(Map<Integer, Integer> segmentUnits) throws IOException {
        for (int segment : segmentUnits.keySet()) {
            files.delete(SegmentFiles.name(segment));
        }
    }

    /** Takes in the records of a journal. A later page takes the units of an earlier one. */
    private final class Recovery {
        private final Map<Integer, Integer> segmentUnits;
        private final int[] owners = new int[index.allocator().capacity()];
        private final Map<Integer, Integer> numbers = new HashMap<>();

        Recovery(Map<Integer, Integer> segmentUnits) {
            this.segmentUnits = segmentUnits;
            Arrays.fill(owners, PageEntries.NONE);
        }

        void add(IndexJournal.Record record) {
            if (record.type() == IndexJournal.TABLE) {
                numbers.put(record.table(), tableNumber(record.name()));
            } else {
                add(record.page());
            }
        }

        private void add(PutRecord page) {
            int earlier = index.find(page.key());
            if (earlier != PageEntries.NONE) {
                remove(earlier);
            }
            if (!isPossible(page)) {
                return;
            }
            for (int unit : page.units()) {
                if (unit != PageEntries.NONE && owners[unit] != PageEntries.NONE) {
                    remove(owners[unit]);
                }
            }
            int table = numbers.getOrDefault(page.table(), TableNumbers.OTHERS);
            index.restoreFrequency(page.key(), page.frequency());
            index.restore(page.key(), table, page.length(), page.units(), page.queue());
            int entry = index.find(page.key());
            for (int unit : page.units()) {
                if (unit != PageEntries.NONE) {
                    owners[unit] = entry;
                }
            }
        }

        private void remove(int entry) {
            for (int unit : index.unitsOf(entry)) {
                if (unit != PageEntries.NONE) {
                    owners[unit] = PageEntries.NONE;
                }
            }
            index.remove(entry);
        }

        private boolean isPossible(PutRecord page) {
            PageGeometry geometry = layout.geometry();
            if (page.length() < 1 || page.length() > geometry.pageBytes()) {
                return false;
            }
            int[] units = page.units();
            int count = 0;
            for (int i = 0; i < units.length; i++) {
                if (units[i] == PageEntries.NONE) {
                    continue;
                }
                int present = segmentUnits.getOrDefault(layout.segment(units[i]), 0);
                if (i >= geometry.units(page.length())
                        || units[i] >= owners.length
                        || units[i] % layout.unitsPerSegment() >= present) {
                    return false;
                }
                count++;
            }
            return count > 0 && areDistinct(units);
        }

        private static boolean areDistinct(int[] units) {
            for (int i = 1; i < units.length; i++) {
                for (int j = 0; j < i; j++) {
                    if (units[i] == units[j] && units[i] != PageEntries.NONE) {
                        return false;
                    }
                }
            }
            return true;
        }

        /** Space that is on disk already is used first. */
        void finish() {
            segmentUnits.forEach(
                    (segment, units) ->
                            index.allocator()
                                    .markWritten(segment * layout.unitsPerSegment() + units - 1));
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

    /** Reserves a share of the space for a table from now on; see {@link SegmentLayout}. */
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

    /** Full pages that fit. */
    long maxPages() {
        return index.allocator().capacity() / PageGeometry.UNITS_PER_PAGE;
    }

    /** Whether so much failed in a row that nothing is to be expected of it any more. */
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
        if (offset + length > index.entries().length(entry)) {
            return false;
        }
        int end = layout.geometry().units(offset + length);
        for (int unit = offset / unitPayloadBytes; unit < end; unit++) {
            if (index.entries().field(entry, unit) == PageEntries.NONE) {
                return false;
            }
        }
        return true;
    }

    /** See {@link io.stele.cache.page.PageStore#read}. */
    Outcome read(PageKey key, int offset, byte[] buffer, int bufferOffset, int length) {
        int[] units = new int[PageGeometry.UNITS_PER_PAGE];
        if (!locate(key, offset, length, units)) {
            return Outcome.MISS;
        }
        try {
            if (segments.read(key, units, offset, buffer, bufferOffset, length)) {
                if (failures.get() > 0) {
                    failures.set(0);
                }
                return Outcome.HIT;
            }
        } catch (IOException e) {
            failures.incrementAndGet();
        }
        return dropDamaged(key, units);
    }

    private boolean locate(PageKey key, int offset, int length, int[] units) {
        lock.lock();
        try {
            int entry = index.use(key);
            if (entry == PageEntries.NONE || !hasUnits(entry, offset, length)) {
                return false;
            }
            for (int i = 0; i < units.length; i++) {
                units[i] = index.entries().field(entry, i);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Damaged, unless the page has gone from there meanwhile; more of it may have come. */
    private Outcome dropDamaged(PageKey key, int[] units) {
        lock.lock();
        try {
            int entry = index.find(key);
            if (entry == PageEntries.NONE) {
                return Outcome.MISS;
            }
            for (int i = 0; i < units.length; i++) {
                if (units[i] != PageEntries.NONE && units[i] != index.entries().field(entry, i)) {
                    return Outcome.MISS;
                }
            }
            index.remove(entry);
        } finally {
            lock.unlock();
        }
        damaged.increment();
        return Outcome.DAMAGED;
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
        int first = pageOffset / unitPayloadBytes;
        int end = layout.geometry().units(pageOffset + length);
        int[] units = new int[PageGeometry.UNITS_PER_PAGE];
        int[] allocated;
        boolean fresh;
        lock.lock();
        try {
            int count = markAbsent(findOfLength(key, pageLength), first, end, units);
            if (count == 0) {
                return true;
            }
            allocated = new int[count];
            growAgain();
            if (!index.allocate(allocated, tableNumber(table))) {
                rejections.increment();
                return false;
            }
            fresh = isFresh(allocated);
        } finally {
            lock.unlock();
        }
        int next = 0;
        for (int unit = 0; unit < units.length; unit++) {
            units[unit] = units[unit] == WANTED ? allocated[next++] : PageEntries.NONE;
        }
        try {
            segments.write(key, units, pageOffset, bytes, offset, length);
        } catch (IOException e) {
            writeFailed(allocated, fresh);
            return false;
        }
        return publish(key, table, pageLength, units, first, end);
    }

    /** The entry of a page; one of a page of another length, which cannot be it, goes. */
    // @GuardedBy("lock")
    private int findOfLength(PageKey key, int pageLength) {
        int entry = index.find(key);
        if (entry != PageEntries.NONE && index.entries().length(entry) != pageLength) {
            index.remove(entry);
            removed.increment();
            return PageEntries.NONE;
        }
        return entry;
    }

    /** Marks the units that an entry, or none, does not have yet; returns how many these are. */
    // @GuardedBy("lock")
    private int markAbsent(int entry, int first, int end, int[] units) {
        int count = 0;
        for (int unit = first; unit < end; unit++) {
            if (entry == PageEntries.NONE
                    || index.entries().field(entry, unit) == PageEntries.NONE) {
                units[unit] = WANTED;
                count++;
            }
        }
        return count;
    }

    // @GuardedBy("lock")
    private boolean isFresh(int[] units) {
        for (int unit : units) {
            if (unit >= index.allocator().written()) {
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
     * A failed write into fresh space means that the disk is full: the cache goes on with the space
     * that it has, and tries again later. One into space that is there means a failing disk.
     */
    private void writeFailed(int[] units, boolean fresh) {
        writeFailures.increment();
        lock.lock();
        try {
            for (int unit : units) {
                index.allocator().release(unit);
            }
            if (fresh) {
                full = true;
                growAgainAt = nanoTime.getAsLong() + FULL_NANOS;
                index.allocator().stopGrowth();
            }
        } finally {
            lock.unlock();
        }
        if (!fresh) {
            failures.incrementAndGet();
        }
    }

    /**
     * Puts units that were written into the index, as far as nobody else was faster.
     *
     * @param units by their number in the page; none where nothing was written
     * @return whether the page has all units from {@code first} to before {@code end} now
     */
    private boolean publish(
            PageKey key, String table, int pageLength, int[] units, int first, int end) {
        ByteBuffer record = ByteBuffer.allocate(IndexJournal.PAGE_RECORD_BYTES);
        boolean complete;
        lock.lock();
        try {
            for (int unit : units) {
                if (unit != PageEntries.NONE) {
                    index.allocator().markWritten(unit);
                }
            }
            int entry = findOfLength(key, pageLength);
            if (entry == PageEntries.NONE) {
                entry = index.insert(key, tableNumber(table), pageLength, units);
            } else if (!index.extend(entry, units)) {
                return true; // another put was faster
            }
            // What was here before may have made room for what has come
            complete = markAbsent(entry, first, end, new int[units.length]) == 0;
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
                entries.length(entry),
                entries.queue(entry),
                index.unitsOf(entry),
                index.frequency(entry));
    }

    /** If the journal cannot be written, pages are lost at the next start, and nothing else. */
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
     * Writes the index anew, with what it has now in the order of last use. The order is copied
     * under the lock, some milliseconds for 100,000 pages.
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
     * Encodes entries as they are now, those that are still there; returns the next one's place.
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
                    units * layout.geometry().unitBytes() + indexBytes,
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

    /** Writes the index and ends. */
    void close() {
        journalLock.lock();
        try {
            checkpoint();
        } catch (IOException e) {
            writeFailures.increment();
        } finally {
            journalLock.unlock();
        }
        abandon();
    }

    /** Ends without writing anything. */
    void abandon() {
        journalLock.lock();
        try {
            indexFile.close();
            segments.close();
            files.close();
        } catch (IOException e) {
            writeFailures.increment();
        } finally {
            journalLock.unlock();
        }
    }
}
