package io.stele.cache.page.segment;

import static java.util.Objects.requireNonNull;

import io.stele.cache.page.PageKey;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The in-memory index of one cache directory's pages, with their places on disk and the eviction
 * policy (W-TinyLFU). It is a hash table and three queues over {@link PageEntries}, with 58 bytes
 * for each full page: 48 of the entry, 4 of the hash table, 4 of the sketch and 2 of the allocator.
 *
 * <p>Invariant: there are at most as many entries as full pages fit, or {@link #MIN_ENTRIES}, plus
 * the entries of pages whose first units are being written. So the size of the cache limits its
 * heap. A large cache with few units of many pages does not use all of its disk.
 *
 * <p>W-TinyLFU (see {@link FrequencySketch}, section 4 of the same paper): a page enters the window
 * (1 % of the space) without a check. When the space is used up, the page that leaves the window
 * stays only if it was requested more often than the page that would be evicted for it. Pages used
 * after their admission are protected (80 % of the rest). So a scan of cold data passes through the
 * window.
 *
 * <p>Shares: other tables never take units reserved for a table while the table uses them. They may
 * borrow its unused units, and return them page by page when the table needs them. Its pages are
 * then admitted without the frequency check.
 *
 * <p>Not thread-safe.
 */
final class PageIndex {
    /** The most steps to make room for units, and the most entries examined for a victim. */
    private static final int MAX_STEPS = 64;

    /**
     * A page requested this often is admitted with a probability of 1/128, even if the victim is as
     * frequent. So an attacker that knows the hash cannot exclude it for ever (as in Caffeine).
     */
    private static final int WARM_FREQUENCY = 6;

    /** Heap of an entry, its bucket and its part of the sketch. */
    static final int HEAP_BYTES_PER_ENTRY = 56;

    /** 7 MB of entries: a cache of up to 8 GiB may have one for each unit. */
    static final int MIN_ENTRIES = 1 << 17;

    /**
     * If more than one part in this many of the space is wasted in broken groups, some of them are
     * emptied.
     */
    private static final int SPARE_PART = 64;

    /** One part in this many of the groups is emptied at once. */
    private static final int EMPTIED_PART = 64;

    /** The mark of a place that must not be reused for now. */
    private static final class Pin {
        private int count;
        private boolean isOrphan;
    }

    private final PageEntries entries = new PageEntries();
    private final PageQueue window = new PageQueue(entries, QueueKind.WINDOW);
    private final PageQueue probation = new PageQueue(entries, QueueKind.PROBATION);
    private final PageQueue protectedPages = new PageQueue(entries, QueueKind.PROTECTED);
    private final UnitAllocator allocator;
    private final FrequencySketch sketch;
    private final RandomGenerator random;
    private final boolean admission;
    private final int[] buckets;
    private final int maxEntries;
    private final Map<Integer, Pin> pins = new HashMap<>();
    private final int maxWindowUnits;
    private final int maxProtectedUnits;
    private final int[] usedUnits = new int[PageEntries.MAX_TABLES];
    private final int[] reservedUnits = new int[PageEntries.MAX_TABLES];
    private long evictions;

    PageIndex(int capacityUnits, int unitsPerPage, RandomGenerator random) {
        this(capacityUnits, unitsPerPage, random, true);
    }

    /**
     * @param unitsPerPage units of a full page
     * @param admission whether a page must have been requested more often than the page that would
     *     be evicted for it
     */
    PageIndex(int capacityUnits, int unitsPerPage, RandomGenerator random, boolean admission) {
        this.admission = admission;
        this.random = requireNonNull(random, "random is null");
        this.allocator = new UnitAllocator(capacityUnits);
        int capacity = allocator.capacity();
        this.maxEntries = maxEntries(capacity, unitsPerPage);
        this.sketch = new FrequencySketch(maxEntries, capacity / unitsPerPage);
        this.buckets = new int[maxEntries];
        Arrays.fill(buckets, PageEntries.NONE);
        this.maxWindowUnits = Math.max(Places.GROUPS * Places.GROUP, capacity / 100);
        this.maxProtectedUnits = (int) ((capacity - maxWindowUnits) * 8L / 10);
    }

    /** The most pages of a directory with a number of units. */
    static int maxEntries(long units, int unitsPerPage) {
        return (int) Math.max(1, Math.max(units / unitsPerPage, Math.min(units, MIN_ENTRIES)));
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

    /** Sets the number of units of {@code table} that other tables may not take. */
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

    /** Finds a page for a read; counts as a use of the page, also on a miss. */
    int use(PageKey key) {
        sketch.increment(key.high(), key.low());
        int entry = find(key);
        if (entry != PageEntries.NONE) {
            touch(entry);
        }
        return entry;
    }

    private void touch(int entry) {
        int space = space(entry);
        switch (entries.queue(entry)) {
            case QueueKind.WINDOW -> window.moveFirst(entry, space);
            case QueueKind.PROTECTED -> protectedPages.moveFirst(entry, space);
            default -> {
                probation.remove(entry, space);
                protectedPages.addFirst(entry, space);
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
        int space = space(entry);
        from.remove(entry, space);
        to.addFirst(entry, space);
    }

    /**
     * Makes room for units of a page; evicts pages if needed, perhaps even this page.
     *
     * @param wanted the units, one bit each; cached units need no room
     * @param table to which the space is counted, if the page is not cached
     * @return a placement to end with {@link #publish} or {@link #cancel}; empty: the units are not
     *     admitted
     */
    Optional<Placement> place(PageKey key, int wanted, int table) {
        for (int step = 0; true; step++) {
            int entry = find(key);
            int here = entry == PageEntries.NONE ? 0 : entries.mask(entry);
            Placement placement = new Placement(key, wanted & ~here);
            if (placement.mask() == 0) {
                return Optional.of(placement);
            }
            int wholes = wholes(placement, entry);
            int singles = groups(placement.mask()) - wholes - extended(placement, entry);
            boolean hasEntry = entry != PageEntries.NONE || entries.size() < maxEntries;
            if (hasEntry && allocator.fits(wholes, singles)) {
                allocate(placement, entry);
                return Optional.of(placement);
            }
            if (hasEntry && wholes > 0 && emptyBrokenGroups()) {
                continue;
            }
            int space = wholes * Places.GROUP + singles;
            int victim = step < MAX_STEPS ? victim(table, space) : PageEntries.NONE;
            if (victim == PageEntries.NONE) {
                return Optional.empty();
            }
            remove(victim);
            evictions++;
        }
    }

    /** The number of groups with units in a mask. */
    private static int groups(int mask) {
        int count = 0;
        for (int group = 0; group < Places.GROUPS; group++) {
            count += Places.ofGroup(mask, group) == 0 ? 0 : 1;
        }
        return count;
    }

    /** The number of groups that are written into room that they already have. */
    private int extended(Placement placement, int entry) {
        int count = 0;
        for (int group = 0; group < Places.GROUPS; group++) {
            boolean isWritten = Places.ofGroup(placement.mask(), group) != 0;
            count += isWritten && isExtended(entry, group) ? 1 : 0;
        }
        return count;
    }

    private boolean isExtended(int entry, int group) {
        int place = placeOf(entry, group);
        return place != Places.NONE && Places.isWhole(place);
    }

    private int placeOf(int entry, int group) {
        return entry == PageEntries.NONE ? Places.NONE : entries.place(entry, group);
    }

    /** The number of groups that need new room for all of their units. */
    private int wholes(Placement placement, int entry) {
        int count = 0;
        for (int group = 0; group < Places.GROUPS; group++) {
            count += needsWhole(placement, entry, group) ? 1 : 0;
        }
        return count;
    }

    private boolean needsWhole(Placement placement, int entry, int group) {
        int written = Integer.bitCount(Places.ofGroup(placement.mask(), group));
        int place = placeOf(entry, group);
        return written > 0 && (place == Places.NONE ? written > 1 : !Places.isWhole(place));
    }

    private void allocate(Placement placement, int entry) {
        for (int group = 0; group < Places.GROUPS; group++) {
            if (Places.ofGroup(placement.mask(), group) == 0) {
                continue;
            }
            int place = placeOf(entry, group);
            if (isExtended(entry, group)) {
                pin(place);
                placement.setPinned(group, place);
            } else if (place != Places.NONE) {
                pin(place);
                placement.setSource(group, place, Places.groupIn(entries.mask(entry), group));
                placement.setPlace(group, allocator.allocateWhole());
            } else {
                placement.setPlace(
                        group,
                        needsWhole(placement, entry, group)
                                ? allocator.allocateWhole()
                                : allocator.allocateSingle());
            }
        }
    }

    private void pin(int place) {
        pins.computeIfAbsent(place, _ -> new Pin()).count++;
    }

    private void unpin(int place) {
        Pin pin = requireNonNull(pins.get(place), "not pinned");
        pin.count--;
        if (pin.count == 0) {
            pins.remove(place);
            if (pin.isOrphan) {
                allocator.release(place);
            }
        }
    }

    /** Frees the room of a page as soon as no thread writes into it or copies from it. */
    private void release(int place) {
        Pin pin = pins.get(place);
        if (pin == null) {
            allocator.release(place);
        } else {
            pin.isOrphan = true;
        }
    }

    /** Ends a placement of which nothing was written. */
    void cancel(Placement placement) {
        for (int group = 0; group < Places.GROUPS; group++) {
            int place = placement.place(group);
            if (placement.isPinned(group)) {
                unpin(place);
            } else if (place != Places.NONE) {
                allocator.release(place);
            }
            if (placement.source(group) != Places.NONE) {
                unpin(placement.source(group));
            }
        }
    }

    /**
     * Ends a placement: adds the written units to the page, unless another thread added them first.
     * Adds the page if it is not cached.
     *
     * @return the page's entry, which may lack some of the units; {@link PageEntries#NONE} if the
     *     page was evicted and none of the units can be used alone
     */
    int publish(Placement placement, int table) {
        int entry = find(placement.key());
        boolean isNew = entry == PageEntries.NONE;
        int[] places = isNew ? none() : placesOf(entry);
        int mask = isNew ? 0 : entries.mask(entry);
        for (int group = 0; group < Places.GROUPS; group++) {
            if (placement.place(group) != Places.NONE) {
                mask |= publish(placement, group, places);
            }
        }
        if (isNew) {
            return mask == 0 ? PageEntries.NONE : insert(placement.key(), table, mask, places);
        }
        int before = space(entry);
        for (int group = 0; group < Places.GROUPS; group++) {
            entries.setPlace(entry, group, places[group]);
        }
        entries.setMask(entry, mask);
        int more = space(entry) - before;
        queue(entry).grow(more);
        usedUnits[entries.table(entry)] += more;
        limitWindow();
        limitProtected();
        return entry;
    }

    /** Adds a group to the places of its page; returns the group's new units. */
    private int publish(Placement placement, int group, int[] places) {
        int place = placement.place(group);
        int source = placement.source(group);
        int written = Places.groupIn(placement.mask(), group);
        allocator.markWritten(Places.unit(place, Places.highest(written)));
        if (placement.isPinned(group)) {
            int units = places[group] == place ? written : 0;
            unpin(place);
            return units;
        }
        int units = 0;
        if (places[group] == Places.NONE || places[group] == source) {
            if (places[group] != Places.NONE) {
                release(source);
            }
            places[group] = place;
            units = written | Places.groupIn(placement.copied(), group);
        } else {
            allocator.release(place); // another thread was faster
        }
        if (source != Places.NONE) {
            unpin(source);
        }
        return units;
    }

    private static int[] none() {
        int[] places = new int[Places.GROUPS];
        Arrays.fill(places, Places.NONE);
        return places;
    }

    /**
     * Evicts single units of broken groups, if such groups waste much space; returns whether this
     * freed whole groups. It checks all entries, which takes some milliseconds, but frees much
     * space at once.
     */
    private boolean emptyBrokenGroups() {
        if (allocator.spareUnits() < Math.max(Places.GROUP, allocator.capacity() / SPARE_PART)) {
            return false;
        }
        int wanted = Math.max(1, allocator.capacity() / Places.GROUP / EMPTIED_PART);
        int emptied = 0;
        for (int most = 1; most < Places.GROUP && emptied == 0; most++) {
            int end = entries.end();
            for (int entry = 0; entry < end && emptied < wanted; entry++) {
                if (entries.queue(entry) != QueueKind.NONE) {
                    emptied += forgetSingles(entry, most);
                }
            }
        }
        return emptied > 0;
    }

    /** Evicts the single units of an entry; returns the number of groups that this emptied. */
    private int forgetSingles(int entry, int most) {
        int emptied = 0;
        int before = space(entry);
        for (int group = 0; group < Places.GROUPS; group++) {
            int place = entries.place(entry, group);
            if (place == Places.NONE || Places.isWhole(place) || pins.containsKey(place)) {
                continue;
            }
            int used = allocator.usedOfGroup(Places.firstUnit(place));
            if (used <= most) {
                allocator.release(place);
                int mask = entries.mask(entry);
                entries.setPlace(entry, group, Places.NONE);
                entries.setMask(entry, mask & ~Places.groupIn(mask, group));
                emptied += used == 1 ? 1 : 0;
            }
        }
        int less = before - space(entry);
        queue(entry).grow(-less);
        usedUnits[entries.table(entry)] -= less;
        if (less > 0 && entries.mask(entry) == 0) {
            remove(entry);
            evictions++;
        }
        return emptied;
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

    /**
     * The less frequent page: the page that leaves the window, or the page that would be evicted
     * for it.
     */
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
     * The least recently used entry whose space {@code table} may take; skipped entries move to the
     * front of the queue.
     */
    private int takeable(PageQueue queue, int table) {
        for (int i = 0; i < Math.min(MAX_STEPS, queue.size()); i++) {
            int entry = queue.tail();
            if (isTakeable(entry, table)) {
                return entry;
            }
            queue.moveFirst(entry, space(entry));
        }
        return PageEntries.NONE;
    }

    private boolean isTakeable(int entry, int table) {
        int owner = entries.table(entry);
        return owner == table || usedUnits[owner] - space(entry) >= reservedUnits[owner];
    }

    private boolean isWithinShare(int table, int more) {
        return usedUnits[table] + more <= reservedUnits[table];
    }

    private int insert(PageKey key, int table, int mask, int[] places) {
        int entry = add(key, table, mask, places);
        int count = space(entry);
        boolean shared = usedUnits[table] <= reservedUnits[table];
        (shared ? probation : window).addFirst(entry, count);
        limitWindow();
        return entry;
    }

    /**
     * Restores a page from a journal into its queue, as the least recently used page; its room must
     * be free. Call {@link #restored} after the last page.
     */
    void restore(PutRecord page, int table) {
        restoreFrequency(page.key(), page.frequency());
        int entry = add(page.key(), table, page.mask(), page.places());
        for (int place : page.places()) {
            if (place != Places.NONE) {
                allocator.take(place);
            }
        }
        int count = space(entry);
        switch (page.queue()) {
            case QueueKind.WINDOW -> window.addLast(entry, count);
            case QueueKind.PROTECTED -> protectedPages.addLast(entry, count);
            default -> probation.addLast(entry, count);
        }
    }

    /**
     * Called after all pages of the journal were restored; evicts pages beyond the present limits.
     */
    void restored() {
        limitWindow();
        limitProtected();
        while (entries.size() > maxEntries) {
            PageQueue[] all = {probation, window, protectedPages};
            for (PageQueue queue : all) {
                if (queue.tail() != PageEntries.NONE) {
                    remove(queue.tail());
                    break;
                }
            }
        }
    }

    /** Restores the frequency of a page from before a restart. */
    private void restoreFrequency(PageKey key, int frequency) {
        for (int i = 0; i < Math.min(frequency, FrequencySketch.MAX_FREQUENCY); i++) {
            sketch.increment(key.high(), key.low());
        }
    }

    private int add(PageKey key, int table, int mask, int[] places) {
        int entry = entries.allocate();
        sketch.setPages(entries.size());
        entries.setKey(entry, key.high(), key.low());
        entries.setMeta(entry, mask, table, QueueKind.NONE);
        for (int group = 0; group < Places.GROUPS; group++) {
            entries.setPlace(entry, group, places[group]);
        }
        int bucket = bucket(key.high());
        entries.setField(entry, PageEntries.CHAIN, buckets[bucket]);
        buckets[bucket] = entry;
        usedUnits[table] += space(entry);
        return entry;
    }

    /** Moves pages beyond the window's limit to probation. */
    private void limitWindow() {
        while (window.units() > maxWindowUnits) {
            move(window.tail(), window, probation);
        }
    }

    /** Removes a page and frees its room. */
    void remove(int entry) {
        int space = space(entry);
        queue(entry).remove(entry, space);
        for (int group = 0; group < Places.GROUPS; group++) {
            int place = entries.place(entry, group);
            if (place != Places.NONE) {
                release(place);
            }
        }
        usedUnits[entries.table(entry)] -= space;
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

    /** The units of space of a page. */
    int space(int entry) {
        int space = 0;
        for (int group = 0; group < Places.GROUPS; group++) {
            space += Places.space(entries.place(entry, group));
        }
        return space;
    }

    /** The places of a page's groups, by group number. */
    int[] placesOf(int entry) {
        int[] places = new int[Places.GROUPS];
        for (int group = 0; group < places.length; group++) {
            places[group] = entries.place(entry, group);
        }
        return places;
    }

    /** All entries, in the order of restoration. */
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

    /** The space of all pages in units, as counted by the queues. */
    int queuedUnits() {
        return window.units() + probation.units() + protectedPages.units();
    }

    /** The space of a table's pages in units. */
    int usedUnits(int table) {
        return usedUnits[table];
    }

    private int bucket(long high) {
        return (int) ((high >>> 32) * buckets.length >>> 32);
    }
}
