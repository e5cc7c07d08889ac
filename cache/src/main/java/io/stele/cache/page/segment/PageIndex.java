package io.stele.cache.page.segment;

import static java.util.Objects.requireNonNull;

import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageKey;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Which pages a directory holds, where, and which of them go when space is needed: a hash table and
 * three queues over {@link PageEntries}, 56.5 bytes for a page of full size: 48 of the entry, 4 of
 * the hash table, 4 of the sketch and 4 bits of the allocator.
 *
 * <p>W-TinyLFU (see {@link FrequencySketch}, section 4 of the same paper): a page enters the window
 * (1 % of the space) without a question. When the space is used up, the page that leaves the window
 * stays only if it was asked for more often than the one that would have to go for it. What was
 * used after that is protected (80 % of the rest). A scan of cold data so passes through the
 * window.
 *
 * <p>Shares: units reserved for a table are never taken by others while the table uses them; what
 * it does not use, others borrow, and give back page by page when it needs them: then its pages are
 * taken in without the question above.
 *
 * <p>Not thread-safe.
 */
final class PageIndex {
    /** Steps to make room for a page, and entries looked at for a victim: enough, and an end. */
    private static final int MAX_STEPS = 64;

    /**
     * A page asked for this often gets in with a chance of 1 in 128 though the victim is as
     * frequent: so nobody who knows the hash can keep it out for ever (as in Caffeine).
     */
    private static final int WARM_FREQUENCY = 6;

    private final PageEntries entries = new PageEntries();
    private final PageQueue window = new PageQueue(entries, QueueKind.WINDOW);
    private final PageQueue probation = new PageQueue(entries, QueueKind.PROBATION);
    private final PageQueue protectedPages = new PageQueue(entries, QueueKind.PROTECTED);
    private final UnitAllocator allocator;
    private final FrequencySketch sketch;
    private final RandomGenerator random;
    private final boolean admission;
    private final int[] buckets;
    private final int maxWindowUnits;
    private final int maxProtectedUnits;
    private final int[] usedUnits = new int[PageEntries.MAX_TABLES];
    private final int[] reservedUnits = new int[PageEntries.MAX_TABLES];
    private long evictions;

    PageIndex(int capacityUnits, RandomGenerator random) {
        this(capacityUnits, random, true);
    }

    /**
     * @param admission whether a page has to be wanted more than the one that would go for it
     */
    PageIndex(int capacityUnits, RandomGenerator random, boolean admission) {
        this.admission = admission;
        this.random = requireNonNull(random, "random is null");
        this.allocator = new UnitAllocator(capacityUnits);
        int maxPages = Math.max(1, capacityUnits / PageGeometry.UNITS_PER_PAGE);
        this.sketch = new FrequencySketch(maxPages);
        this.buckets = new int[maxPages];
        Arrays.fill(buckets, PageEntries.NONE);
        this.maxWindowUnits = Math.max(PageGeometry.UNITS_PER_PAGE, capacityUnits / 100);
        this.maxProtectedUnits = (int) ((capacityUnits - maxWindowUnits) * 8L / 10);
    }

    PageEntries entries() {
        return entries;
    }

    UnitAllocator allocator() {
        return allocator;
    }

    long evictions() {
        return evictions;
    }

    int frequency(int entry) {
        return sketch.frequency(entries.high(entry), entries.low(entry));
    }

    /** Remembers uses from before a restart. */
    void restoreFrequency(PageKey key, int frequency) {
        for (int i = 0; i < Math.min(frequency, FrequencySketch.MAX_FREQUENCY); i++) {
            sketch.increment(key.high(), key.low());
        }
    }

    /** Units of {@code table} that others may not take. */
    void reserve(int table, int units) {
        reservedUnits[table] = units;
    }

    /** The entry of a page, or {@link PageEntries#NONE}. */
    int find(PageKey key) {
        int entry = buckets[bucket(key.high())];
        while (entry != PageEntries.NONE
                && (entries.high(entry) != key.high() || entries.low(entry) != key.low())) {
            entry = entries.field(entry, PageEntries.CHAIN);
        }
        return entry;
    }

    /** Finds a page that somebody wants to read, which counts as a use of it, here or not. */
    int use(PageKey key) {
        sketch.increment(key.high(), key.low());
        int entry = find(key);
        if (entry != PageEntries.NONE) {
            touch(entry);
        }
        return entry;
    }

    private void touch(int entry) {
        int units = units(entry);
        switch (entries.queue(entry)) {
            case QueueKind.WINDOW -> window.moveFirst(entry, units);
            case QueueKind.PROTECTED -> protectedPages.moveFirst(entry, units);
            default -> {
                probation.remove(entry, units);
                protectedPages.addFirst(entry, units);
                limitProtected();
            }
        }
    }

    private void limitProtected() {
        while (protectedPages.units() > maxProtectedUnits) {
            move(protectedPages.tail(), protectedPages, probation);
        }
    }

    private void move(int entry, PageQueue from, PageQueue to) {
        int units = units(entry);
        from.remove(entry, units);
        to.addFirst(entry, units);
    }

    /**
     * Fills {@code units} with units for a page of {@code table}, evicting pages if needed, even
     * that one; {@code false} if they are not to be kept.
     */
    boolean allocate(int[] units, int table) {
        for (int step = 0; allocator.available() < units.length; step++) {
            int victim = step < MAX_STEPS ? victim(table, units.length) : PageEntries.NONE;
            if (victim == PageEntries.NONE) {
                return false;
            }
            remove(victim);
            evictions++;
        }
        allocator.allocate(units);
        return true;
    }

    private int victim(int table, int needed) {
        if (window.units() + needed > maxWindowUnits
                && window.tail() != PageEntries.NONE
                && !isWithinShare(table, needed)) {
            return loserOfAdmission(table);
        }
        int victim = mainVictim(table);
        return victim == PageEntries.NONE ? takeable(window, table) : victim;
    }

    /** The page that leaves the window against the one that would go for it. */
    private int loserOfAdmission(int table) {
        int candidate = window.tail();
        int victim = mainVictim(table);
        if (victim == PageEntries.NONE) {
            return takeable(window, table);
        }
        if (!isTakeable(candidate, table) || wins(candidate, victim)) {
            move(candidate, window, probation);
            return victim;
        }
        return candidate;
    }

    private boolean wins(int candidate, int victim) {
        if (!admission) {
            return true;
        }
        int frequency = frequency(candidate);
        return frequency > frequency(victim)
                || frequency >= WARM_FREQUENCY && random.nextInt(128) == 0;
    }

    private int mainVictim(int table) {
        int victim = takeable(probation, table);
        return victim == PageEntries.NONE ? takeable(protectedPages, table) : victim;
    }

    /**
     * The entry used longest ago that {@code table} may take; those before it get out of the way.
     */
    private int takeable(PageQueue queue, int table) {
        for (int i = 0; i < Math.min(MAX_STEPS, queue.size()); i++) {
            int entry = queue.tail();
            if (isTakeable(entry, table)) {
                return entry;
            }
            queue.moveFirst(entry, units(entry));
        }
        return PageEntries.NONE;
    }

    private boolean isTakeable(int entry, int table) {
        int owner = entries.table(entry);
        return owner == table || usedUnits[owner] - units(entry) >= reservedUnits[owner];
    }

    private boolean isWithinShare(int table, int more) {
        return usedUnits[table] + more <= reservedUnits[table];
    }

    /**
     * Puts in a page that is not here, whose units are allocated.
     *
     * @param units by their number in the page; {@link PageEntries#NONE}, or beyond the end: that
     *     one is not here
     */
    int insert(PageKey key, int table, int length, int[] units) {
        int entry = add(key, table, length, units);
        int count = units(entry);
        boolean shared = usedUnits[table] <= reservedUnits[table];
        (shared ? probation : window).addFirst(entry, count);
        limitWindow();
        return entry;
    }

    /**
     * Adds allocated units to a page that is here; those that it has already are released.
     *
     * @param units as of {@link #insert}
     * @return whether it has more now
     */
    boolean extend(int entry, int[] units) {
        int more = 0;
        for (int i = 0; i < units.length; i++) {
            if (units[i] == PageEntries.NONE) {
                continue;
            }
            if (entries.field(entry, i) == PageEntries.NONE) {
                entries.setField(entry, i, units[i]);
                more++;
            } else {
                allocator.release(units[i]);
            }
        }
        queue(entry).grow(more);
        usedUnits[entries.table(entry)] += more;
        limitWindow();
        limitProtected();
        return more > 0;
    }

    /** Puts in a page from a journal, in the queue that it was in. */
    void restore(PageKey key, int table, int length, int[] units, int queue) {
        int entry = add(key, table, length, units);
        for (int unit : units) {
            if (unit != PageEntries.NONE) {
                allocator.take(unit);
            }
        }
        int count = units(entry);
        switch (queue) {
            case QueueKind.WINDOW -> window.addFirst(entry, count);
            case QueueKind.PROTECTED -> protectedPages.addFirst(entry, count);
            default -> probation.addFirst(entry, count);
        }
        limitWindow();
        limitProtected();
    }

    private int add(PageKey key, int table, int length, int[] units) {
        int entry = entries.allocate();
        entries.setKey(entry, key.high(), key.low());
        entries.setMeta(entry, length, table, QueueKind.NONE);
        for (int i = 0; i < PageGeometry.UNITS_PER_PAGE; i++) {
            entries.setField(entry, i, i < units.length ? units[i] : PageEntries.NONE);
        }
        int bucket = bucket(key.high());
        entries.setField(entry, PageEntries.CHAIN, buckets[bucket]);
        buckets[bucket] = entry;
        usedUnits[table] += units(entry);
        return entry;
    }

    /** While there is room, what leaves the window stays. */
    private void limitWindow() {
        while (window.units() > maxWindowUnits) {
            move(window.tail(), window, probation);
        }
    }

    /** Forgets a page and frees its units. */
    void remove(int entry) {
        int units = units(entry);
        queue(entry).remove(entry, units);
        for (int unit : unitsOf(entry)) {
            if (unit != PageEntries.NONE) {
                allocator.release(unit);
            }
        }
        usedUnits[entries.table(entry)] -= units;
        unchain(entry);
        entries.release(entry);
    }

    private PageQueue queue(int entry) {
        return switch (entries.queue(entry)) {
            case QueueKind.WINDOW -> window;
            case QueueKind.PROTECTED -> protectedPages;
            default -> probation;
        };
    }

    private void unchain(int entry) {
        int bucket = bucket(entries.high(entry));
        int next = entries.field(entry, PageEntries.CHAIN);
        if (buckets[bucket] == entry) {
            buckets[bucket] = next;
            return;
        }
        int before = buckets[bucket];
        while (entries.field(before, PageEntries.CHAIN) != entry) {
            before = entries.field(before, PageEntries.CHAIN);
        }
        entries.setField(before, PageEntries.CHAIN, next);
    }

    /** How many units of a page are here. */
    int units(int entry) {
        int units = 0;
        for (int i = 0; i < PageGeometry.UNITS_PER_PAGE; i++) {
            units += entries.field(entry, i) == PageEntries.NONE ? 0 : 1;
        }
        return units;
    }

    /** Where the units of a page lie, by their number in it; {@link PageEntries#NONE}: not here. */
    int[] unitsOf(int entry) {
        int[] units = new int[PageGeometry.UNITS_PER_PAGE];
        for (int i = 0; i < units.length; i++) {
            units[i] = entries.field(entry, i);
        }
        return units;
    }

    /** All entries, in an order in which they can be restored one after the other. */
    int[] inOrder() {
        int[] order = new int[entries.size()];
        int count = probation.copy(order, 0);
        count += protectedPages.copy(order, count);
        count += window.copy(order, count);
        if (count != order.length) {
            throw new IllegalStateException(
                    "Expected " + order.length + " pages in the queues, found " + count);
        }
        return order;
    }

    /** Units of all pages, as the queues count them. */
    int queuedUnits() {
        return window.units() + probation.units() + protectedPages.units();
    }

    /** Units of a table's pages. */
    int usedUnits(int table) {
        return usedUnits[table];
    }

    private int bucket(long high) {
        return (int) ((high >>> 32) * buckets.length >>> 32);
    }
}
