package io.stele.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class TestSingleFlightCache {
    private static SingleFlightCache<String, byte[]> cache(long maxWeightBytes) {
        return new SingleFlightCache<>("test", maxWeightBytes, value -> value.length);
    }

    @Test
    void loadsOnceForManyThreads() throws Exception {
        SingleFlightCache<String, byte[]> cache = cache(1000);
        int threads = 8;
        CountDownLatch allStarted = new CountDownLatch(threads);
        AtomicInteger loads = new AtomicInteger();
        Callable<byte[]> task =
                () -> {
                    allStarted.countDown();
                    allStarted.await();
                    return cache.get(
                            "key",
                            () -> {
                                loads.incrementAndGet();
                                return new byte[] {42};
                            });
                };
        List<Future<byte[]>> results = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < threads; i++) {
                results.add(executor.submit(task));
            }
            for (Future<byte[]> result : results) {
                assertThat(result.get()).containsExactly(42);
            }
        }
        assertThat(loads).hasValue(1);
        assertThat(cache.statistics().misses()).isEqualTo(1);
        assertThat(cache.statistics().hits()).isEqualTo(threads - 1);
    }

    @Test
    void failureReachesThoseWhoWaitAndIsForgotten() throws Exception {
        SingleFlightCache<String, byte[]> cache = cache(1000);
        CountDownLatch loading = new CountDownLatch(1);
        CountDownLatch mayFail = new CountDownLatch(1);
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            Future<byte[]> first =
                    executor.submit(
                            () ->
                                    cache.get(
                                            "key",
                                            () -> {
                                                loading.countDown();
                                                mayFail.await();
                                                throw new IOException("disk on fire");
                                            }));
            loading.await();
            // Asynchronous on purpose: this waiter is certainly registered before the load fails.
            CompletableFuture<byte[]> second =
                    cache.getAsync(
                            "key",
                            key -> {
                                throw new AssertionError("a second load of " + key);
                            });
            mayFail.countDown();
            assertThatThrownBy(first::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseMessage("disk on fire");
            assertThatThrownBy(() -> second.get(120, TimeUnit.SECONDS))
                    .hasRootCauseMessage("disk on fire");
        }
        assertThat(cache.statistics().failures()).isEqualTo(1);
        assertThat(cache.get("key", () -> new byte[] {1})).containsExactly(1);
    }

    @Test
    void checkedExceptionComesOutAsThrown() {
        SingleFlightCache<String, byte[]> cache = cache(1000);
        assertThatThrownBy(
                        () ->
                                cache.get(
                                        "key",
                                        () -> {
                                            throw new IOException("no such file");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("no such file");
        assertThat(cache.peek("key")).isEmpty();
    }

    @Test
    void tellsWhyValuesLeft() {
        SingleFlightCache<String, byte[]> cache = cache(1000);
        for (int i = 0; i < 8; i++) {
            cache.put("key" + i, new byte[100]);
        }
        cache.put("key0", new byte[100]);
        cache.remove("key0");
        cache.remove("none");
        cache.removeIf(key -> key.equals("key1") || key.equals("key2"));
        cache.put("large", new byte[600]);
        CacheStatistics reported = cache.statistics();
        assertThat(reported.replaced()).isOne();
        assertThat(reported.invalidated()).isEqualTo(3);
        assertThat(reported.evictions()).isEqualTo(6 - reported.entries()).isPositive();
    }

    @Test
    void staysBelowItsWeight() {
        SingleFlightCache<String, byte[]> cache = cache(1000);
        for (int i = 0; i < 100; i++) {
            cache.get("key" + i, () -> new byte[100]);
            assertThat(cache.statistics().weightBytes()).isLessThanOrEqualTo(1000);
        }
        assertThat(cache.statistics().entries()).isLessThanOrEqualTo(10);
        assertThat(cache.statistics().evictions()).isGreaterThanOrEqualTo(90);
        assertThat(cache.get("huge", () -> new byte[5000])).hasSize(5000);
        assertThat(cache.statistics().weightBytes()).isLessThanOrEqualTo(1000);
    }

    @Test
    void cancellingOneWaiterLeavesTheLoad() {
        SingleFlightCache<String, byte[]> cache = cache(1000);
        CompletableFuture<byte[]> loading = new CompletableFuture<>();
        CompletableFuture<byte[]> first = cache.getAsync("key", key -> loading);
        CompletableFuture<byte[]> second = cache.getAsync("key", key -> new CompletableFuture<>());
        first.cancel(true);
        loading.complete(new byte[] {7});
        assertThat(second.join()).containsExactly(7);
        assertThat(cache.peek("key"))
                .hasValueSatisfying(value -> assertThat(value).containsExactly(7));
    }

    @Test
    void aHitSavesWhatALoadTakesInTheMean() throws Exception {
        AtomicLong nanos = new AtomicLong();
        SingleFlightCache<String, byte[]> cache =
                new SingleFlightCache<>("timed", 1000, value -> value.length, nanos::get);
        cache.put("written", new byte[5]);
        cache.get("written", () -> new byte[1]);
        assertThat(cache.statistics().savedNanos()).as("nothing was loaded").hasValue(0);
        assertThatThrownBy(
                        () ->
                                cache.get(
                                        "failing",
                                        () -> {
                                            nanos.addAndGet(1_000_000);
                                            throw new IOException("not there");
                                        }))
                .isInstanceOf(IOException.class);
        for (int size : new int[] {10, 30}) {
            cache.get(
                    "loaded " + size,
                    () -> {
                        nanos.addAndGet(100 * size);
                        return new byte[size];
                    });
        }
        assertThat(cache.statistics().savedNanos()).as("of the one written").hasValue(2_000);
        assertThat(cache.find("loaded 30")).isPresent();
        cache.used("loaded 10", 4);
        cache.putMissed("made", new byte[1], 500);
        // Loads of 1,000, 3,000 and 500, and six hits
        assertThat(cache.statistics().savedNanos()).hasValue(9_000);
        assertThat(cache.statistics().hitBytes()).isEqualTo(5 + 30 + 4 * 10);
        assertThat(cache(10).statistics().savedNanos()).as("has no clock").isEmpty();
    }

    @Test
    void whoWaitsForALoadIsSavedNothing() {
        AtomicLong nanos = new AtomicLong();
        SingleFlightCache<String, byte[]> cache =
                new SingleFlightCache<>("timed", 1000, value -> value.length, nanos::get);
        CompletableFuture<byte[]> loading = new CompletableFuture<>();
        cache.getAsync("key", key -> loading);
        CompletableFuture<byte[]> waiting = cache.getAsync("key", key -> new CompletableFuture<>());
        nanos.set(700);
        loading.complete(new byte[] {7});
        assertThat(waiting).isCompleted();
        assertThat(cache.statistics().hits()).isEqualTo(1);
        assertThat(cache.statistics().savedNanos()).hasValue(0);
        assertThat(cache.find("key")).isPresent();
        assertThat(cache.statistics().savedNanos()).hasValue(700);
    }

    @Test
    void putRemoveAndRemoveIf() {
        SingleFlightCache<String, byte[]> cache = cache(1000);
        cache.put("a1", new byte[1]);
        cache.put("a2", new byte[2]);
        cache.put("b1", new byte[3]);
        cache.removeIf(key -> key.startsWith("a"));
        assertThat(cache.peek("a1")).isEmpty();
        assertThat(cache.peek("a2")).isEmpty();
        assertThat(cache.peek("b1")).isPresent();
        cache.remove("b1");
        assertThat(cache.statistics().entries()).isZero();
        assertThat(cache.statistics().hitRate()).isEqualTo(1.0);
    }
}
