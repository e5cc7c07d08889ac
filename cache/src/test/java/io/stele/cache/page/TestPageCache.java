package io.stele.cache.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.cache.page.segment.LocalCacheFiles;
import io.stele.cache.page.segment.SegmentPageStore;
import io.stele.cache.page.segment.SegmentStoreOptions;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The cache over real files and threads. */
class TestPageCache {
    private static final PageGeometry GEOMETRY = new PageGeometry(4096, 512, 4);
    private static final int PAGE = GEOMETRY.pageBytes();
    private static final int UNIT = GEOMETRY.unitPayloadBytes();

    @TempDir private Path directory;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final byte[] content = new byte[64 * PAGE + 100];
    private final CachedFile file = new CachedFile("t", "f", content.length);

    TestPageCache() {
        new Random(7).nextBytes(content);
    }

    @AfterEach
    void end() {
        executor.close();
    }

    private PageCache cache(int pages, PageCacheOptions options) {
        return cache(pages, options, executor);
    }

    private PageCache cache(int pages, PageCacheOptions options, Executor tasks) {
        long bytes = (192 << 10) + pages * 4L * (GEOMETRY.unitBytes() + 156L);
        SegmentPageStore store =
                new SegmentPageStore(
                        new SegmentStoreOptions(GEOMETRY, 64, Map.of()),
                        List.of(
                                new SegmentPageStore.Directory(
                                        "d", bytes, () -> LocalCacheFiles.open(directory))),
                        System::nanoTime,
                        new Random(1),
                        tasks);
        return new PageCache(store, options, System::nanoTime, tasks);
    }

    private void load(long offset, byte[] buffer, int at, int length) {
        System.arraycopy(content, (int) offset, buffer, at, length);
    }

    /** Reads and compares; returns whether the read found all of it without waiting. */
    private boolean check(PageCache cache, int offset, int length, RangeLoader loader)
            throws IOException {
        byte[] buffer = new byte[length];
        boolean isHere = cache.read(file, offset, buffer, 0, length, loader);
        assertThat(buffer).isEqualTo(Arrays.copyOfRange(content, offset, offset + length));
        return isHere;
    }

    /** Until what was fetched is in the store. */
    private static void awaitFilled(PageCache cache) {
        while (cache.unitsOnTheirWay() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void eightMissesOfOnePageAreOneLoad() throws Exception {
        try (PageCache cache = cache(100, PageCacheOptions.DEFAULT)) {
            AtomicInteger loads = new AtomicInteger();
            CountDownLatch loading = new CountDownLatch(1);
            CountDownLatch others = new CountDownLatch(7);
            RangeLoader slow =
                    (offset, buffer, at, length) -> {
                        loads.incrementAndGet();
                        loading.countDown();
                        await(others);
                        load(offset, buffer, at, length);
                    };
            List<Future<?>> readers = new ArrayList<>();
            readers.add(executor.submit(() -> read(cache, 5000, 100, slow)));
            loading.await();
            for (int i = 0; i < 7; i++) {
                int offset = 4100 + i;
                readers.add(
                        executor.submit(
                                () -> {
                                    others.countDown();
                                    return read(cache, offset, 1000, slow);
                                }));
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
            assertThat(loads).hasValue(1);
            awaitFilled(cache);
            check(cache, 4096, UNIT, slow);
            assertThat(loads).hasValue(1);
            TableCacheStatistics statistics = cache.tableStatistics().getFirst();
            assertThat(statistics.loads()).isEqualTo(1);
            assertThat(statistics.requestsSaved() + statistics.sharedLoads()).isGreaterThan(0);
        }
    }

    private Void read(PageCache cache, int offset, int length, RangeLoader loader)
            throws IOException {
        check(cache, offset, length, loader);
        return null;
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    @Test
    void missesSideBySideAreOneRequest() throws IOException {
        try (PageCache cache = cache(100, new PageCacheOptions(8 * PAGE, 4, 1 << 20))) {
            List<String> ranges = Collections.synchronizedList(new ArrayList<>());
            RangeLoader loader =
                    (offset, buffer, at, length) -> {
                        ranges.add(offset / PAGE + "+" + length);
                        load(offset, buffer, at, length);
                    };
            check(cache, 10 * PAGE, PAGE, loader);
            awaitFilled(cache);
            // Pages 2 to 20 without 10: at most eight together, and two sides of the hole.
            check(cache, 2 * PAGE + 100, 18 * PAGE, loader);
            assertThat(ranges)
                    .containsExactlyInAnyOrder(
                            "10+" + PAGE, "2+" + 8 * PAGE, "11+" + 8 * PAGE, "19+" + (PAGE + UNIT));
            awaitFilled(cache);
            check(cache, 2 * PAGE, 18 * PAGE, loader);
            // The last page is as long as the file is.
            check(cache, 64 * PAGE + 7, 93, loader);
            assertThat(ranges).hasSize(5).last().isEqualTo("64+100");
        }
    }

    @Test
    void aFailedLoadFailsItsReaderAndTheOthersTryAgain() throws Exception {
        try (PageCache cache = cache(100, PageCacheOptions.DEFAULT)) {
            CountDownLatch loading = new CountDownLatch(1);
            CountDownLatch other = new CountDownLatch(1);
            RangeLoader failing =
                    (offset, buffer, at, length) -> {
                        loading.countDown();
                        await(other);
                        throw new IOException("no route to the store");
                    };
            Future<?> first = executor.submit(() -> read(cache, 0, 10, failing));
            loading.await();
            Future<?> second =
                    executor.submit(
                            () -> {
                                other.countDown();
                                return read(cache, 0, 10, this::load);
                            });
            second.get();
            assertThatThrownBy(first::get).hasRootCauseMessage("no route to the store");
            awaitFilled(cache);
            assertThat(cache.tableStatistics().getFirst().failedLoads()).isEqualTo(1);
            assertThatThrownBy(
                            () ->
                                    check(
                                            cache,
                                            PAGE,
                                            10,
                                            (offset, buffer, at, length) -> {
                                                throw new IllegalStateException("broken");
                                            }))
                    .hasMessage("broken");
            assertThat(cache.unitsOnTheirWay()).isZero();
        }
    }

    @Test
    void neverMoreFetchesThanAllowed() throws Exception {
        try (PageCache cache = cache(100, new PageCacheOptions(PAGE, 3, 1 << 20))) {
            AtomicInteger now = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            RangeLoader loader =
                    (offset, buffer, at, length) -> {
                        most.accumulateAndGet(now.incrementAndGet(), Math::max);
                        Thread.yield();
                        load(offset, buffer, at, length);
                        now.decrementAndGet();
                    };
            List<Future<?>> readers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int offset = i * 8 * PAGE;
                readers.add(executor.submit(() -> read(cache, offset, 8 * PAGE, loader)));
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
            assertThat(most.get()).isBetween(1, 3);
        }
    }

    /** The bytes of fetches are what is limited: of smaller ones there may be more. */
    @Test
    void smallFetchesAreMore() throws Exception {
        try (PageCache cache = cache(100, new PageCacheOptions(4 * PAGE, 2, 64 * PAGE))) {
            CountDownLatch eight = new CountDownLatch(8);
            RangeLoader together =
                    (offset, buffer, at, length) -> {
                        eight.countDown();
                        await(eight);
                        load(offset, buffer, at, length);
                    };
            List<CompletableFuture<Long>> all = new ArrayList<>();
            for (int page = 0; page < 16; page += 2) {
                all.add(cache.prefetch(file, (long) page * PAGE, 1, together));
            }
            for (CompletableFuture<Long> one : all) {
                assertThat(one.get(120, TimeUnit.SECONDS)).isEqualTo(UNIT);
            }
            assertThat(cache.tableStatistics().getFirst().loads()).isEqualTo(8);
        }
    }

    /** A unit is fetched even if it is more than a fetch may be. */
    @Test
    void aFetchIsAUnitAtLeast() throws Exception {
        try (PageCache cache = cache(100, new PageCacheOptions(1, 1, 64 * PAGE))) {
            check(cache, 100, 3 * PAGE, this::load);
        }
    }

    @Test
    void whatCannotBeWrittenInTimeIsNotKept() throws IOException {
        try (PageCache cache = cache(100, new PageCacheOptions(8 * PAGE, 3, 2 * PAGE))) {
            check(cache, 0, 3 * PAGE, this::load);
            assertThat(cache.unitsOnTheirWay()).isZero();
            assertThat(cache.storeStatistics().pages()).isZero();
            assertThat(cache.tableStatistics().getFirst().skippedFills()).isEqualTo(3);
            check(cache, 0, 2 * PAGE, this::load);
            awaitFilled(cache);
            assertThat(cache.storeStatistics().pages()).isEqualTo(2);
        }
    }

    /** Tasks run at once, and the second fetch is a part of the first one. */
    @Test
    void nothingIsWrittenWhileSomebodyFetches() throws IOException {
        RangeLoader none =
                (offset, buffer, at, length) -> {
                    throw new IOException("must not be loaded");
                };
        try (PageCache cache = cache(100, PageCacheOptions.DEFAULT, Runnable::run)) {
            check(
                    cache,
                    20 * PAGE,
                    PAGE,
                    (offset, buffer, at, length) -> {
                        check(cache, 0, 2 * PAGE, this::load);
                        cache.prefetch(file, 4 * PAGE, PAGE, this::load);
                        cache.offer(file, 5, Arrays.copyOfRange(content, 5 * PAGE, 6 * PAGE), PAGE);
                        check(cache, 8 * PAGE, PAGE, this::load);
                        assertThat(cache.storeStatistics().pages()).isZero();
                        assertThat(check(cache, 100, 2 * PAGE - 200, none)).isTrue();
                        assertThat(check(cache, 4 * PAGE, 2 * PAGE, none)).isTrue();
                        assertThat(check(cache, 5 * PAGE, 2 * PAGE, this::load)).isFalse();
                        load(offset, buffer, at, length);
                    });
            assertThat(cache.unitsOnTheirWay()).isZero();
            assertThat(cache.storeStatistics().pages()).isEqualTo(7);
            check(cache, 4 * PAGE, 2 * PAGE, none);
        }
    }

    @Test
    void whatWaitsToBeWrittenIsKeptByClosingAndForgottenByRemoving() throws IOException {
        CachedFile other = new CachedFile("t", "g", content.length);
        PageCache cache = cache(100, PageCacheOptions.DEFAULT, Runnable::run);
        check(
                cache,
                20 * PAGE,
                PAGE,
                (offset, buffer, at, length) -> {
                    cache.read(other, 0, new byte[PAGE], 0, PAGE, this::load);
                    check(cache, 0, 2 * PAGE, this::load);
                    cache.remove(other);
                    cache.close();
                    load(offset, buffer, at, length);
                });
        assertThat(cache.unitsOnTheirWay()).isZero();
        try (PageCache again = cache(100, PageCacheOptions.DEFAULT, Runnable::run)) {
            assertThat(again.presentBytes(file)).isEqualTo(2L * PAGE);
            assertThat(again.presentBytes(other)).isZero();
        }
    }

    @Test
    void whatAVisitorFetchesIsKeptTheSecondTime() throws IOException {
        try (PageCache cache = cache(100, PageCacheOptions.DEFAULT)) {
            CachedFile onSecondAccess = file.admittedOnSecondAccess();
            byte[] buffer = new byte[2 * PAGE];
            AtomicInteger loads = new AtomicInteger();
            RangeLoader counting =
                    (offset, into, at, length) -> {
                        loads.incrementAndGet();
                        load(offset, into, at, length);
                    };
            cache.read(onSecondAccess, 0, buffer, 0, buffer.length, counting);
            assertThat(buffer).isEqualTo(Arrays.copyOf(content, buffer.length));
            assertThat(cache.unitsOnTheirWay()).isZero();
            assertThat(cache.presentBytes(file)).isZero();
            assertThat(cache.tableStatistics().getFirst().firstAccessPages()).isEqualTo(2);
            cache.read(onSecondAccess, 0, buffer, 0, buffer.length, counting);
            awaitFilled(cache);
            assertThat(loads).hasValue(2);
            assertThat(cache.presentBytes(file)).isEqualTo(2L * PAGE);
            // Both find what either left
            cache.read(onSecondAccess, 0, buffer, 0, buffer.length, counting);
            check(cache, 0, 2 * PAGE, counting);
            check(cache, 5 * PAGE, PAGE, counting);
            awaitFilled(cache);
            cache.read(onSecondAccess, 5L * PAGE, buffer, 0, PAGE, counting);
            assertThat(loads).hasValue(3);
        }
    }

    @Test
    void withoutADirectoryReadsGoPast() throws IOException {
        Path notADirectory = Files.createFile(directory.resolve("file"));
        SegmentPageStore store =
                new SegmentPageStore(
                        new SegmentStoreOptions(GEOMETRY, 64, Map.of()),
                        List.of(
                                new SegmentPageStore.Directory(
                                        "d", 1 << 20, () -> LocalCacheFiles.open(notADirectory))),
                        System::nanoTime,
                        new Random(1),
                        executor);
        try (PageCache cache =
                new PageCache(store, PageCacheOptions.DEFAULT, System::nanoTime, executor)) {
            List<Integer> lengths = new ArrayList<>();
            check(
                    cache,
                    10,
                    20,
                    (offset, buffer, at, length) -> {
                        lengths.add(length);
                        load(offset, buffer, at, length);
                    });
            assertThat(lengths).containsExactly(20);
            assertThat(cache.storeStatistics().directoriesOut()).isEqualTo(1);
            assertThat(cache.tableStatistics().getFirst().bypassedReads()).isEqualTo(1);
        }
    }

    @Test
    void whatItsWriterPutsIsNeverLoaded() throws IOException {
        try (PageCache cache = cache(100, PageCacheOptions.DEFAULT)) {
            for (int page = 0; page <= 64; page++) {
                int length = Math.min(PAGE, content.length - page * PAGE);
                assertThat(cache.put(file, page, content, page * PAGE, length)).isTrue();
            }
            check(
                    cache,
                    0,
                    content.length,
                    (offset, buffer, at, length) -> {
                        throw new IOException("must not be loaded");
                    });
            assertThatThrownBy(() -> cache.put(file, 64, content, 0, 101))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Expected the 100 bytes of page 64");
            cache.remove(file);
            assertThat(cache.storeStatistics().pages()).isZero();
        }
    }

    @Test
    void whatWasFetchedAheadIsNotFetchedAgain() throws Exception {
        try (PageCache cache = cache(100, new PageCacheOptions(8 * PAGE, 4, 64 * PAGE))) {
            AtomicInteger loads = new AtomicInteger();
            CountDownLatch reading = new CountDownLatch(1);
            RangeLoader loader =
                    (offset, buffer, at, length) -> {
                        loads.incrementAndGet();
                        await(reading);
                        load(offset, buffer, at, length);
                    };
            check(cache, 20 * PAGE, PAGE, this::load);
            awaitFilled(cache);
            CompletableFuture<Long> ahead = cache.prefetch(file, 18 * PAGE + 7, 6 * PAGE, loader);
            assertThat(cache.prefetch(file, 18 * PAGE, PAGE, loader)).isDone(); // on its way
            Future<?> reader = executor.submit(() -> read(cache, 18 * PAGE + 7, 6 * PAGE, loader));
            reading.countDown();
            reader.get();
            ahead.get();
            awaitFilled(cache);
            // Pages 18 and 19, and 21 to the first unit of 24: page 20 was here
            assertThat(loads).hasValue(2);
            check(cache, 18 * PAGE, 6 * PAGE + UNIT, loader);
            assertThat(loads).hasValue(2);
            assertThat(cache.prefetch(file, 18 * PAGE, 6 * PAGE + UNIT, loader)).isDone();
            assertThat(cache.prefetch(file, content.length, 5, loader)).isDone();
            assertThat(loads).hasValue(2);
        }
    }

    @Test
    void fetchesAheadOnlyWhatCanBeKept() throws Exception {
        try (PageCache cache = cache(100, new PageCacheOptions(2 * PAGE, 4, 5 * PAGE))) {
            CountDownLatch begun = new CountDownLatch(1);
            AtomicInteger loaded = new AtomicInteger();
            RangeLoader slow =
                    (offset, buffer, at, length) -> {
                        await(begun);
                        loaded.addAndGet(length);
                        load(offset, buffer, at, length);
                    };
            CompletableFuture<Long> ahead = cache.prefetch(file, 0, 20 * PAGE, slow);
            begun.countDown();
            ahead.get();
            awaitFilled(cache);
            assertThat(loaded).hasValue(4 * PAGE);
            check(cache, 0, 20 * PAGE, this::load);
        }
    }

    @Test
    void aFailedFetchAheadIsTheReadersToRepeat() throws Exception {
        try (PageCache cache = cache(100, PageCacheOptions.DEFAULT)) {
            cache.prefetch(
                            file,
                            0,
                            3 * PAGE,
                            (offset, buffer, at, length) -> {
                                throw new IOException("no route to the store");
                            })
                    .get();
            assertThat(cache.unitsOnTheirWay()).isZero();
            assertThat(cache.tableStatistics().getFirst().failedLoads()).isEqualTo(1);
            check(cache, 0, 3 * PAGE, this::load);
        }
    }

    @Test
    void whatItsWriterOffersIsWrittenInTheBackground() throws IOException {
        try (PageCache cache = cache(100, new PageCacheOptions(8 * PAGE, 4, 4 * PAGE))) {
            cache.offer(file, 3, Arrays.copyOfRange(content, 3 * PAGE, 4 * PAGE), PAGE);
            awaitFilled(cache);
            cache.offer(file, 64, Arrays.copyOfRange(content, 64 * PAGE, content.length), 100);
            awaitFilled(cache);
            RangeLoader none =
                    (offset, buffer, at, length) -> {
                        throw new IOException("must not be loaded");
                    };
            check(cache, 3 * PAGE + 5, PAGE - 5, none);
            check(cache, 64 * PAGE, 100, none);
            assertThat(cache.presentBytes(file)).isEqualTo(PAGE + 100L);
            assertThatThrownBy(() -> cache.offer(file, 64, new byte[PAGE], PAGE))
                    .hasMessageContaining("Expected the 100 bytes of page 64");
        }
    }

    /** Of a page that is partly here, what is missing comes, and nothing else. */
    @Test
    void onlyTheUnitsThatAreWantedAreFetched() throws Exception {
        try (PageCache cache = cache(100, PageCacheOptions.DEFAULT)) {
            List<String> loads = Collections.synchronizedList(new ArrayList<>());
            RangeLoader loader =
                    (offset, buffer, at, length) -> {
                        loads.add(offset - 3 * PAGE + "+" + length);
                        load(offset, buffer, at, length);
                    };
            int rest = PAGE - 2 * UNIT;
            check(cache, 3 * PAGE + UNIT + 10, 100, loader);
            awaitFilled(cache);
            assertThat(loads).containsExactly(UNIT + "+" + UNIT);
            assertThat(cache.presentBytes(file)).isEqualTo(UNIT);
            check(cache, 3 * PAGE + UNIT, UNIT, loader);
            cache.prefetch(file, 3 * PAGE + 2 * UNIT - 1, 1, loader).get();
            assertThat(loads).hasSize(1);
            // The end of this page and the beginning of the next one are one request
            check(cache, 4 * PAGE - 1, 2, loader);
            awaitFilled(cache);
            assertThat(loads).hasSize(2).contains(2 * UNIT + "+" + (rest + UNIT));
            // Around what is here
            check(cache, 3 * PAGE, 2 * PAGE, loader);
            awaitFilled(cache);
            assertThat(loads).hasSize(4).contains("0+" + UNIT, PAGE + UNIT + "+" + (PAGE - UNIT));
            check(cache, 3 * PAGE, 2 * PAGE, loader);
            assertThat(loads).hasSize(4);
            assertThat(cache.storeStatistics().pages()).isEqualTo(2);
            assertThat(cache.presentBytes(file)).isEqualTo(2L * PAGE);
            TableCacheStatistics statistics = cache.tableStatistics().getFirst();
            assertThat(statistics.loadedBytes()).isEqualTo(2L * PAGE);
            // The last page has 100 bytes
            check(cache, 64 * PAGE, 100, loader);
            awaitFilled(cache);
            assertThat(loads).last().isEqualTo(61 * PAGE + "+100");
        }
    }

    /** While the units of an offered page are on their way elsewhere, it is not taken. */
    @Test
    void anOfferedPageThatSomebodyFetchesIsNotTaken() throws Exception {
        try (PageCache cache = cache(100, PageCacheOptions.DEFAULT)) {
            CountDownLatch offered = new CountDownLatch(1);
            CompletableFuture<Long> ahead =
                    cache.prefetch(
                            file,
                            3 * PAGE + UNIT,
                            1,
                            (offset, buffer, at, length) -> {
                                await(offered);
                                load(offset, buffer, at, length);
                            });
            cache.offer(file, 3, Arrays.copyOfRange(content, 3 * PAGE, 4 * PAGE), PAGE);
            assertThat(cache.unitsOnTheirWay()).isEqualTo(1);
            offered.countDown();
            ahead.get();
            awaitFilled(cache);
            check(cache, 3 * PAGE, PAGE, this::load);
            assertThat(cache.tableStatistics().getFirst().loadedBytes()).isEqualTo(PAGE);
        }
    }

    @Test
    void refusesRangesOutsideTheFile() throws IOException {
        try (PageCache cache = cache(100, PageCacheOptions.DEFAULT)) {
            byte[] buffer = new byte[200];
            assertThatThrownBy(() -> cache.read(file, 64 * PAGE, buffer, 0, 101, this::load))
                    .isInstanceOf(EOFException.class)
                    .hasMessageContaining("101 bytes at offset 262144");
            assertThatThrownBy(() -> cache.read(file, -1, buffer, 0, 1, this::load))
                    .isInstanceOf(EOFException.class);
            cache.read(file, content.length, buffer, 0, 0, this::load);
        }
    }

    @Test
    void ghostsKnowWhatMoreSpaceWouldBring() throws IOException {
        try (PageCache cache = cache(400, PageCacheOptions.DEFAULT)) {
            byte[] buffer = new byte[10];
            for (int round = 0; round < 20; round++) {
                for (int page = 0; page < 640; page++) { // more than the cache, less than twice
                    CachedFile one = new CachedFile("t", "f" + page / 64, content.length);
                    cache.read(one, page % 64 * PAGE, buffer, 0, 10, this::load);
                }
            }
            Map<Double, Double> ghosts = cache.tableStatistics().getFirst().ghostHitRatios();
            assertThat(ghosts.get(1.0)).isLessThan(0.1);
            assertThat(ghosts.get(2.0)).isGreaterThan(0.9);
        }
    }

    @Test
    @Timeout(300)
    void manyThreadsWhileFilesAreDamagedReadTheRightBytes() throws Exception {
        try (PageCache cache = cache(24, new PageCacheOptions(4 * PAGE, 2, 16 * PAGE))) {
            AtomicBoolean end = new AtomicBoolean();
            // A virtual thread might leave the others no processor, where there is one
            FutureTask<Void> vandal = new FutureTask<>(() -> damage(end));
            Thread.ofPlatform().start(vandal);
            List<Future<?>> readers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Random random = new Random(i);
                readers.add(
                        executor.submit(
                                () -> {
                                    for (int n = 0; n < 2000 || noneDamaged(cache); n++) {
                                        readSomewhere(cache, random);
                                    }
                                    return null;
                                }));
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
            end.set(true);
            vandal.get();
            TableCacheStatistics statistics = cache.tableStatistics().getFirst();
            assertThat(statistics.pageHits()).isPositive();
            assertThat(statistics.damagedPages()).isPositive();
            assertThat(cache.storeStatistics().evictions()).isPositive();
        }
    }

    private static boolean noneDamaged(PageCache cache) {
        List<TableCacheStatistics> tables = cache.tableStatistics();
        return tables.isEmpty() || tables.getFirst().damagedPages() == 0;
    }

    private void readSomewhere(PageCache cache, Random random) throws IOException {
        int offset = (int) (random.nextDouble() * random.nextDouble() * content.length);
        int length = random.nextInt(Math.min(3 * PAGE, content.length - offset));
        byte[] buffer = new byte[length];
        cache.read(file, offset, buffer, 0, length, this::load);
        if (!Arrays.equals(buffer, 0, length, content, offset, offset + length)) {
            throw new AssertionError(length + " wrong bytes at " + offset);
        }
    }

    private Void damage(AtomicBoolean end) throws IOException {
        Random random = new Random(99);
        while (!end.get()) {
            List<Path> segments;
            try (Stream<Path> files = Files.list(directory)) {
                segments = files.filter(path -> path.toString().endsWith(".pages")).toList();
            }
            for (Path segment : segments) {
                try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
                    long size = Math.max(1, channel.size() - 8);
                    channel.write(ByteBuffer.allocate(8), (long) (random.nextDouble() * size));
                }
            }
            Thread.yield();
        }
        return null;
    }
}
