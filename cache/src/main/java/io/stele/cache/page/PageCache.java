package io.stele.cache.page;

import static java.util.Objects.requireNonNull;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * A read-through cache of immutable files in pages on local disks. Missing units are fetched in
 * large ranges, once for all readers that wait for them, and then cached. Lookup and eviction work
 * on pages. Fetches and storage work on those units of a page that were requested.
 *
 * <p>Invariant: a read gives exactly the bytes that the loader would give, or fails as the loader
 * fails. Failures of disks only make it slower. Invariant: while a unit of a page is being fetched
 * or written into the store, no other reader fetches it again. Invariant: no lock is held while
 * anything is read, loaded or written.
 *
 * <p>Thread-safe. Reads block.
 */
public final class PageCache implements AutoCloseable {
    /** Tables measured each by itself; the others together, under {@link #OTHER_TABLES}. */
    private static final int MAX_TABLES = 1024;

    public static final String OTHER_TABLES = "(others)";

    /** How often a reader checks again after another's fetch failed. */
    private static final int MAX_ATTEMPTS = 3;

    private final PageStore store;
    private final PageFetcher fetcher;
    private final int pageBytes;
    private final PageUnits units;
    private final InFlightFetches inFlight = new InFlightFetches();
    private final GhostCaches ghosts;
    private final ConcurrentMap<String, TableCounters> tables = new ConcurrentHashMap<>();

    /** A cache that writes what it fetched as soon as no fetch is under way. */
    public PageCache(
            PageStore store, PageCacheOptions options, LongSupplier nanoTime, Executor executor) {
        this(store, options, nanoTime, executor, executor);
    }

    /**
     * @param nanoTime a clock of nanoseconds that never goes back
     * @param executor runs fetches beyond the first of a read, and writes into the store: blocking
     *     tasks that wait only for disks and loaders
     * @param later runs such tasks after a delay: fetched pages are written then, if no fetch began
     *     meanwhile
     */
    public PageCache(
            PageStore store,
            PageCacheOptions options,
            LongSupplier nanoTime,
            Executor executor,
            Executor later) {
        this.store = requireNonNull(store, "store is null");
        this.pageBytes = store.pageBytes();
        this.units = new PageUnits(pageBytes, store.unitBytes());
        this.ghosts = new GhostCaches(store.maxPages());
        this.fetcher = new PageFetcher(store, inFlight, options, nanoTime, executor, later);
    }

    /**
     * Reads exactly {@code length} bytes at {@code offset} of the file.
     *
     * @param loader reads the file itself; called for whole units, from this thread and others, and
     *     not any more when this returns
     * @return whether all bytes were here, in the store or in memory on their way into it; false:
     *     the read waited for a loader, its own or that of another reader
     * @throws EOFException if the file ends before
     */
    public boolean read(
            CachedFile file,
            long offset,
            byte[] buffer,
            int bufferOffset,
            int length,
            RangeLoader loader)
            throws IOException {
        Objects.checkFromIndexSize(bufferOffset, length, buffer.length);
        requireNonNull(loader, "loader is null");
        if (offset < 0 || offset > file.sizeBytes() - length) {
            throw new EOFException(
                    String.format(
                            Locale.ROOT,
                            "Expected a range inside the %d bytes of %s, found %d bytes at offset %d",
                            file.sizeBytes(),
                            file,
                            length,
                            offset));
        }
        TableCounters counters = counters(file.table());
        if (!store.isAvailable()) {
            loader.load(offset, buffer, bufferOffset, length);
            counters.bypassedReads.increment();
            counters.missedBytes.add(length);
            return false;
        }
        PageRead read = new PageRead(file, offset, buffer, bufferOffset, length);
        List<Long> missing = readPresent(read, counters);
        if (missing.isEmpty()) {
            counters.answered(length);
            return true;
        }
        Waiting waiting = readMissing(read, missing, loader, counters);
        if (waiting == Waiting.FOR_ITS_FETCH) {
            counters.fetched(length);
        } else {
            counters.answered(length);
        }
        return waiting == Waiting.NONE;
    }

    /** What a read of missing units waited for. */
    private enum Waiting {
        NONE,
        FOR_ANOTHER,
        FOR_ITS_FETCH
    }

    /** Copies what is here; returns the units that are not. */
    private List<Long> readPresent(PageRead read, TableCounters counters) {
        List<Long> missing = List.of();
        for (long page = read.offset() / pageBytes; page * pageBytes < read.end(); page++) {
            ghosts.request(read.file().key(page), counters);
            long start = page * pageBytes;
            if (readStored(read, page, start, start + pageBytes, counters)) {
                counters.pageHits.increment();
            } else {
                counters.pageMisses.increment();
                if (missing.isEmpty()) {
                    missing = new ArrayList<>();
                }
                addMissing(read, page, missing, counters);
            }
        }
        return missing;
    }

    /** Copies the units that are here of a page whose others are not. */
    private void addMissing(PageRead read, long page, List<Long> missing, TableCounters counters) {
        long first = units.of(Math.max(read.offset(), page * pageBytes));
        long last = units.of(Math.min(read.end(), (page + 1) * pageBytes) - 1);
        for (long unit = first; unit <= last; unit++) {
            if (!isHereNow(read, unit, counters)) {
                missing.add(unit);
            }
        }
    }

    /** Copies what is wanted of a range within a page, if all of that is here. */
    private boolean readStored(
            PageRead read, long page, long start, long limit, TableCounters counters) {
        PageStore.Outcome outcome =
                store.read(
                        read.file(),
                        page,
                        (int) (start - page * pageBytes) + read.offsetIn(start),
                        read.buffer(),
                        read.offsetInBuffer(start),
                        read.lengthIn(start, limit));
        if (outcome == PageStore.Outcome.DAMAGED) {
            counters.damagedPages.increment();
        }
        return outcome == PageStore.Outcome.HIT;
    }

    /**
     * Fetches the units that are not being fetched yet, then waits for the others; in this order,
     * so that no two readers ever wait for each other.
     */
    private Waiting readMissing(
            PageRead read, List<Long> missing, RangeLoader loader, TableCounters counters)
            throws IOException {
        List<Long> open = missing;
        Waiting waiting = Waiting.NONE;
        for (int attempt = 0; !open.isEmpty(); attempt++) {
            PageFetcher.Claims mine = new PageFetcher.Claims();
            List<Shared> others = new ArrayList<>();
            boolean ended = false;
            try {
                claim(read, open, mine, others, counters);
                if (!mine.isEmpty()) {
                    fetcher.fetch(read, mine, loader, counters);
                    waiting = Waiting.FOR_ITS_FETCH;
                }
                ended = true;
            } finally {
                if (!ended) {
                    mine.end(inFlight); // no reader may wait for ever
                }
            }
            if (waiting == Waiting.NONE && !others.stream().allMatch(Shared::isHere)) {
                waiting = Waiting.FOR_ANOTHER;
            }
            open = readShared(read, others, counters);
            if (attempt == MAX_ATTEMPTS && !open.isEmpty()) {
                loadPast(read, open, loader);
                waiting = Waiting.FOR_ITS_FETCH;
                break;
            }
        }
        return waiting;
    }

    /** Others have failed so often that this reader stops to wait for them. */
    private void loadPast(PageRead read, List<Long> open, RangeLoader loader) throws IOException {
        for (long unit : open) {
            long start = units.start(unit);
            loader.load(
                    start + read.offsetIn(start),
                    read.buffer(),
                    read.offsetInBuffer(start),
                    read.lengthIn(start, units.end(unit)));
        }
    }

    private void claim(
            PageRead read,
            List<Long> missing,
            PageFetcher.Claims mine,
            List<Shared> others,
            TableCounters counters) {
        for (long unit : missing) {
            InFlightFetches.UnitFetch unitFetch =
                    new InFlightFetches.UnitFetch(read.file().key(unit));
            Optional<InFlightFetches.UnitFetch> other = inFlight.claim(unitFetch);
            if (other.isPresent()) {
                others.add(new Shared(unit, other.orElseThrow()));
            } else if (isHereNow(read, unit, counters)) {
                // A fetch ended between our check of the store and our claim
                inFlight.end(unitFetch);
            } else {
                mine.add(unit, unitFetch);
            }
        }
    }

    private record Shared(long unit, InFlightFetches.UnitFetch unitFetch) {
        boolean isHere() {
            return unitFetch.isEnded();
        }
    }

    /** Copies what is wanted of a unit, if it is here. */
    private boolean isHereNow(PageRead read, long unit, TableCounters counters) {
        long start = units.start(unit);
        return isStored(read.file(), unit)
                && readStored(read, units.page(unit), start, units.end(unit), counters);
    }

    private boolean isStored(CachedFile file, long unit) {
        long end = Math.min(units.end(unit), file.sizeBytes());
        return store.contains(
                file, units.page(unit), units.offsetInPage(unit), (int) (end - units.start(unit)));
    }

    /** Copies what others fetched; returns the units that came to nothing. */
    private List<Long> readShared(PageRead read, List<Shared> others, TableCounters counters)
            throws IOException {
        List<Long> again = new ArrayList<>();
        for (Shared other : others) {
            Optional<InFlightFetches.FetchedUnit> fetchedUnit = other.unitFetch().await();
            if (fetchedUnit.isPresent()) {
                counters.sharedLoads.increment();
                read.copy(
                        units.start(other.unit()),
                        units.end(other.unit()),
                        fetchedUnit.orElseThrow().bytes(),
                        fetchedUnit.orElseThrow().offset());
            } else {
                again.add(other.unit());
            }
        }
        return again;
    }

    /**
     * Starts to fetch pages that will be read soon, if they are neither cached nor being fetched;
     * does not wait. At most {@link PageCacheOptions#maxFillBytes} are in flight like this; the
     * rest is left to the reads themselves.
     *
     * @param loader as of {@link #read}, but it is called after this has returned as well
     * @return completes when every fetch begun here has ended, with the bytes fetched; never fails
     */
    public CompletableFuture<Long> prefetch(
            CachedFile file, long offset, long length, RangeLoader loader) {
        requireNonNull(loader, "loader is null");
        long end = Math.min(offset + length, file.sizeBytes());
        if (offset < 0 || length < 1 || end <= offset || !store.isAvailable()) {
            return CompletableFuture.completedFuture(0L);
        }
        PageFetcher.Claims mine = new PageFetcher.Claims();
        boolean handedOn = false;
        try {
            for (long unit = units.of(offset); unit <= units.of(end - 1); unit++) {
                claimAhead(file, unit, mine);
            }
            handedOn = true;
        } finally {
            if (!handedOn) {
                mine.end(inFlight);
            }
        }
        return fetcher.fetchAhead(file, mine, loader, counters(file.table()));
    }

    private void claimAhead(CachedFile file, long unit, PageFetcher.Claims mine) {
        if (isStored(file, unit)) {
            return;
        }
        InFlightFetches.UnitFetch unitFetch = new InFlightFetches.UnitFetch(file.key(unit));
        if (inFlight.claim(unitFetch).isPresent()) {
            return;
        }
        if (isStored(file, unit)) {
            inFlight.end(unitFetch); // another one's fetch ended between the two looks
        } else {
            mine.add(unit, unitFetch);
        }
    }

    /** Bytes of the file that are here now. */
    public long presentBytes(CachedFile file) {
        long present = 0;
        long end = file.sizeBytes() == 0 ? 0 : units.of(file.sizeBytes() - 1) + 1;
        for (long unit = 0; unit < end; unit++) {
            if (isStored(file, unit)) {
                present += Math.min(units.end(unit), file.sizeBytes()) - units.start(unit);
            }
        }
        return present;
    }

    /**
     * Offers the content of a page to the cache without waiting for disks: it is written in the
     * background, or not at all while too much waits to be written.
     *
     * @param bytes the page from the first byte on; it must not change any more
     * @param length {@link #pageBytes}, or the rest of the file in the last page
     */
    public void offer(CachedFile file, long page, byte[] bytes, int length) {
        Objects.checkFromIndexSize(0, length, bytes.length);
        checkPage(file, page, length);
        if (!store.isAvailable()) {
            return;
        }
        PageFetcher.Claims mine = new PageFetcher.Claims();
        long start = page * pageBytes;
        for (long unit = units.of(start); unit <= units.of(start + length - 1); unit++) {
            InFlightFetches.UnitFetch unitFetch = new InFlightFetches.UnitFetch(file.key(unit));
            if (inFlight.claim(unitFetch).isPresent()) {
                mine.end(inFlight); // it is being fetched already
                return;
            }
            mine.add(unit, unitFetch);
        }
        fetcher.fill(file, mine, page, bytes, length);
    }

    /**
     * Offers the content of a page to the cache, because its writer has it at hand.
     *
     * @param page its number in the file, from 0
     * @param length {@link #pageBytes}, or the rest of the file in the last page
     * @return whether the page is in the cache now
     */
    public boolean put(CachedFile file, long page, byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        checkPage(file, page, length);
        return store.isAvailable() && store.put(file, page, bytes, offset, length);
    }

    private void checkPage(CachedFile file, long page, int length) {
        long expected = Math.min(pageBytes, file.sizeBytes() - page * pageBytes);
        if (page < 0 || length != expected || length < 1) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected the %d bytes of page %d of %s, found %d",
                            expected,
                            page,
                            file,
                            length));
        }
    }

    /** Removes all pages of a file, for example because it was deleted. */
    public void remove(CachedFile file) {
        fetcher.drop(file);
        for (long page = 0; page * pageBytes < file.sizeBytes(); page++) {
            store.remove(file, page);
        }
    }

    /** Bytes of a page. */
    public int pageBytes() {
        return pageBytes;
    }

    public PageStoreStatistics storeStatistics() {
        return store.statistics();
    }

    /** Of each table that was read, in no order. */
    public List<TableCacheStatistics> tableStatistics() {
        List<TableCacheStatistics> result = new ArrayList<>();
        tables.forEach((table, counters) -> result.add(counters.statistics(table)));
        return result;
    }

    /** Units of pages being fetched or written at this moment. */
    public int unitsOnTheirWay() {
        return inFlight.size();
    }

    private TableCounters counters(String table) {
        TableCounters known = tables.get(table);
        if (known != null) {
            return known;
        }
        String name = tables.size() < MAX_TABLES ? table : OTHER_TABLES;
        return tables.computeIfAbsent(name, absent -> new TableCounters());
    }

    /**
     * Writes the waiting pages and closes the store; reads in progress may be unable to cache what
     * they fetch.
     */
    @Override
    public void close() {
        fetcher.close();
        store.close();
    }
}
