package io.stele.cache.page;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
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
 * The data page cache: a read-through cache of immutable remote files, in pages on local disks.
 * Missing units are fetched in large ranges, once for all readers that wait for them, and then
 * cached. Lookup and eviction work on pages. Fetches and storage work on the requested units of a
 * page.
 *
 * <p>Invariant: a read returns exactly the bytes that the loader would return, or fails as the
 * loader fails. Failures of disks only make it slower. Invariant: while a unit of a page is being
 * fetched or written into the store, no other reader fetches it again. Invariant: no lock is held
 * while anything is read, loaded or written.
 *
 * <p>Thread-safe. Reads block.
 */
public final class PageCache implements AutoCloseable {
    /**
     * The most tables with statistics of their own; further tables are counted together as {@link
     * #OTHER_TABLES}.
     */
    private static final int MAX_TABLES = 1024;

    public static final String OTHER_TABLES = "(others)";

    /** How often a reader tries again after a fetch of another reader failed. */
    private static final int MAX_ATTEMPTS = 3;

    private final PageStore store;
    private final PageFetcher fetcher;
    private final int pageBytes;
    private final PageUnits units;
    private final InFlightFetches inFlight = new InFlightFetches();
    private final GhostCaches ghosts;
    private final ConcurrentMap<String, TableCounters> tables = new ConcurrentHashMap<>();

    /** A cache that writes fetched pages as soon as no fetch is in progress. */
    public PageCache(
            PageStore store, PageCacheOptions options, LongSupplier nanoTime, Executor executor) {
        this(store, options, nanoTime, executor, executor);
    }

    /**
     * @param nanoTime a clock of nanoseconds that never goes back
     * @param executor runs fetches beyond the first of a read, and writes into the store: blocking
     *     tasks that wait only for disks and loaders
     * @param later runs blocking tasks after a delay, which write fetched pages if no fetch began
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
     * @param loader reads the file itself; called for whole units, by this thread and others, but
     *     never after this has returned
     * @return whether all bytes were cached, in the store or in memory before their write; false if
     *     the read waited for a loader, its own or another reader's
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

    /** The kinds of waits of a read of missing units. */
    private enum Waiting {
        NONE,
        FOR_ANOTHER,
        FOR_ITS_FETCH
    }

    /** Copies the cached bytes; returns the missing units. */
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

    /**
     * Copies the cached units of a page that has missing units, and adds those to {@code missing}.
     */
    private void addMissing(PageRead read, long page, List<Long> missing, TableCounters counters) {
        long first = units.of(Math.max(read.offset(), page * pageBytes));
        long last = units.of(Math.min(read.end(), (page + 1) * pageBytes) - 1);
        for (long unit = first; unit <= last; unit++) {
            if (!isHereNow(read, unit, counters)) {
                missing.add(unit);
            }
        }
    }

    /** Copies the wanted bytes of a range within a page, if all of them are stored. */
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
        if (outcome == PageStore.Outcome.HIT) {
            ReadAccount.fromDisk(read.lengthIn(start, limit));
            return true;
        }
        return false;
    }

    /**
     * Fetches the units that no other reader is fetching, then waits for the other units. In this
     * order, two readers never wait for each other.
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
                    mine.end(inFlight); // else other readers would wait for ever
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

    /** Loads the units without the cache, after fetches of other readers have failed too often. */
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
                // Another fetch ended between the check of the store and the claim
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

    /** Copies the wanted bytes of a unit, if it is cached now. */
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

    /** Copies the units that other readers fetched; returns the units whose fetch failed. */
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
     * does not wait. At most {@link PageCacheOptions#maxFillBytes} are in flight like this; further
     * pages are fetched by the reads themselves.
     *
     * @param loader as in {@link #read}, but it may also be called after this has returned
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
            inFlight.end(unitFetch); // another fetch ended between the two checks
        } else {
            mine.add(unit, unitFetch);
        }
    }

    /** The number of bytes of the file that are cached now. */
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
     * background, or dropped if too many bytes wait to be written.
     *
     * @param bytes the content of the page, from index 0; must not change any more
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
                mine.end(inFlight); // another caller is fetching it
                return;
            }
            mine.add(unit, unitFetch);
        }
        fetcher.fill(file, mine, page, bytes, length);
    }

    /**
     * Writes the content of a page into the cache, because its writer has it in memory; blocks for
     * the disk.
     *
     * @param page number in the file, from 0
     * @param length {@link #pageBytes}, or the rest of the file in the last page
     * @return whether the page is cached now
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

    /** The size of a page in bytes. */
    public int pageBytes() {
        return pageBytes;
    }

    public PageStoreStatistics storeStatistics() {
        return store.statistics();
    }

    /** The statistics of each table that was read, in no order. */
    public List<TableCacheStatistics> tableStatistics() {
        List<TableCacheStatistics> result = new ArrayList<>();
        tables.forEach((table, counters) -> result.add(counters.statistics(table)));
        return result;
    }

    /** The number of units that are being fetched or written now. */
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
     * Writes the waiting pages and closes the store; pages that reads still fetch may not be
     * cached.
     */
    @Override
    public void close() {
        fetcher.close();
        store.close();
    }
}
