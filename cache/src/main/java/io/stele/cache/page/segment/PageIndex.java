package io.stele.cache.page.segment;

import static java.util.Objects.requireNonNull;

import io.stele.cache.page.PageKey;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The pages that a directory holds, where they lie, and which of them are evicted when space is
 * needed: a hash table and three queues over {@link PageEntries}, 58 bytes for a page of full size:
 * 48 of the entry, 4 of the hash table, 4 of the sketch and 2 of the allocator.
 *
 * <p>Invariant: there are at most as many entries as full pages fit, or {@link #MIN_ENTRIES}, and
 * those whose first units are being written. So heap has a limit by the size of the cache, and a
 * large cache in which many pages are there in small part does not use all of its disk.
 *
 * <p>W-TinyLFU (see {@link FrequencySketch}, section 4 of the same paper): a page enters the window
 * (1 % of the space) without a check. When the space is used up, the page that leaves the window
 * stays only if it was requested more often than the one that would be evicted for it. Pages used
 * after that are protected (80 % of the rest). So a scan of cold data passes through the window.
 *
 * <p>Shares: units reserved for a table are never taken by others while the table uses them; units
 * that it does not use may be borrowed by others, and return page by page when it needs them: then
 * its pages are admitted without the check above.
 *
 * <p>Not thread-safe.
 */
final class PageIndex {
    /** Steps to make room for units, and entries examined for a victim: enough, and bounded. */
    private static final int MAX_STEPS = 64;

    /**
     * A page requested this often is admitted with a chance of 1 in 128 even if the victim is as
     * frequent. So an attacker that knows the hash cannot exclude it for ever (as in Caffeine).
     */
    private static final int WARM_FREQUENCY = 6;

    /** Of an entry, its bucket and its part of the sketch. */
    static final int HEAP_BYTES_PER_ENTRY = 56;

    /** 7 MB of entries: a cache of up to 8 GiB may have one for each unit. */
    static final int MIN_ENTRIES = 1 << 17;

    /** Of the space, wasted in broken groups, from which on some of them are emptied. */
    private static final int SPARE_PART = 64;

    /** Of the groups, how many are emptied at once. */
    private static final int EMPTIED_PART = 64;

    /** Whose place must not be given to others for now. */
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
     * @param unitsPerPage of a full page
     * @param admission whether a page has to be wanted more than the one that would go for it
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

    /** Pages that a directory of a number of units holds at most. */
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

    /** Finds a page for a read, which counts as a use of it, cached or not. */
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
     * Makes room for units of a page, evicting pages if needed, even that one.
     *
     * @param wanted a bit per unit; units that are cached already need no room
     * @param table whose space it is, if the page is not here
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

    /** Groups of which a mask has something. */
    private static int groups(int mask) {
        int count = 0;
        for (int group = 0; group < Places.GROUPS; group++) {
            count += Places.ofGroup(mask, group) == 0 ? 0 : 1;
        }
        return count;
    }

    /** Groups that are written into room that they have. */
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

    /** Groups that need room for all of their units. */
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

    /** Frees the room of a page, when no thread writes into it or copies from it any more. */
    private void release(int place) {
        Pin pin = pins.get(place);
        if (pin == null) {
            allocator.release(place);
        } else {
            pin.isOrphan = true;
        }
    }

    /** Nothing was written. */
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
     * Adds written units to the page, unless another thread added them first; a page that is not
     * cached enters.
     *
     * @return the page's entry, which has all of them or not; {@link PageEntries#NONE}: it was
     *     evicted, and none of the units is of use by itself
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

    /** Takes a group over into the places of its page; returns the units that come with it. */
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
            allocator.release(place); // another one was faster
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
     * Evicts units that lie alone in broken groups, if these waste much space; returns whether this
     * freed whole groups. It checks all entries, which takes some milliseconds, once for a large
     * share of the space.
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

    /** Returns how many groups are empty by that. */
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
     * Restores a page from a journal, in the queue that it was in, as the least recently used; its
     * room must be free. Call {@link #restored} after the last one.
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

    /** All pages of the journal are here; those beyond the limits of today go. */
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

    /** Remembers uses from before a restart. */
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

    /** While there is room, what leaves the window stays. */
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

    /** Units of space that a page takes. */
    int space(int entry) {
        int space = 0;
        for (int group = 0; group < Places.GROUPS; group++) {
            space += Places.space(entries.place(entry, group));
        }
        return space;
    }

    /** The places of a page's groups, by their number in it. */
    int[] placesOf(int entry) {
        int[] places = new int[Places.GROUPS];
        for (int group = 0; group < places.length; group++) {
            places[group] = entries.place(entry, group);
        }
        return places;
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

    /** Space of all pages, as the queues count it. */
    int queuedUnits() {
        return window.units() + probation.units() + protectedPages.units();
    }

    /** Space of a table's pages. */
    int usedUnits(int table) {
        return usedUnits[table];
    }

    private int bucket(long high) {
        return (int) ((high >>> 32) * buckets.length >>> 32);
    }
}
