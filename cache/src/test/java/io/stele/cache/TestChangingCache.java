package io.stele.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestChangingCache {
    private static final long LIMIT = 1_000_000_000;

    private final ChangingCache<Integer, Long> cache =
            new ChangingCache<>("things", 1 << 20, (key, value) -> 64);

    @Test
    void keepsWhatWasLoaded() {
        assertThat(cache.find(1)).isNull();
        cache.offer(1, 10L, cache.beginLoad(1), 0);
        assertThat(cache.find(1)).isEqualTo(10L);
        assertThat(cache.statistics().hits()).isEqualTo(1);
        assertThat(cache.statistics().misses()).isEqualTo(1);
        assertThat(cache.statistics().weightBytes()).isEqualTo(64);
    }

    @Test
    void aHitSavesWhatLoadsTakeInTheMean() {
        cache.offer(1, 10L, cache.beginLoad(1), 300);
        cache.offer(2, 20L, ChangingCache.REFUSED, 100); // took its time all the same
        cache.find(1);
        cache.find(1);
        cache.find(2);
        assertThat(cache.statistics().savedNanos()).hasValue(2 * 200);
        assertThat(cache.statistics().hitBytes()).isEqualTo(2 * 64);
    }

    @Test
    void changeRemovesTheValueAndRefusesLoads() {
        cache.offer(1, 10L, cache.beginLoad(1), 0);
        long before = cache.beginLoad(1);
        cache.beginChange(1);
        assertThat(cache.find(1)).isNull();
        assertThat(cache.beginLoad(1)).isEqualTo(ChangingCache.REFUSED);
        cache.offer(1, 10L, before, 0);
        assertThat(cache.find(1)).as("a load from before the change").isNull();
        cache.endChange(1);
        cache.offer(1, 10L, before, 0);
        assertThat(cache.find(1)).as("a load from before the change").isNull();
        cache.offer(1, 11L, cache.beginLoad(1), 0);
        assertThat(cache.find(1)).isEqualTo(11L);
    }

    @Test
    void changesOfOneKeyMayOverlap() {
        cache.beginChange(1);
        cache.beginChange(1);
        cache.endChange(1);
        assertThat(cache.beginLoad(1)).isEqualTo(ChangingCache.REFUSED);
        cache.endChange(1);
        assertThat(cache.beginLoad(1)).isNotEqualTo(ChangingCache.REFUSED);
    }

    @Test
    void holdsAtMostItsBytes() {
        ChangingCache<Integer, Long> small = new ChangingCache<>("small", 640, (key, value) -> 64);
        for (int key = 0; key < 1_000; key++) {
            small.offer(key, (long) key, small.beginLoad(key), 0);
        }
        assertThat(small.statistics().weightBytes()).isLessThanOrEqualTo(640);
        assertThat(small.statistics().evictions()).isGreaterThanOrEqualTo(990);
        assertThat(small.statistics().invalidated()).isZero();
        long held = small.statistics().entries();
        for (int key = 0; key < 1_000; key++) {
            small.beginChange(key);
        }
        assertThat(small.statistics().invalidated()).isEqualTo(held);
    }

    /**
     * Every key's thing is a number that only grows. A reader must never see it shrink, nor see
     * less than a change that ended before the reader came: neither of which an uncached read does.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void noReaderGoesBackInTime(long seed) throws Exception {
        int keys = 4;
        AtomicLongArray things = new AtomicLongArray(keys);
        AtomicLongArray ended = new AtomicLongArray(keys);
        AtomicLong hits = new AtomicLong();
        AtomicBoolean stop = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> readers = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                SplittableRandom random = new SplittableRandom(seed * 100 + thread);
                readers.add(
                        threads.submit(
                                () -> {
                                    long[] seen = new long[keys];
                                    while (!stop.get()) {
                                        int key = random.nextInt(keys);
                                        long least = Math.max(seen[key], ended.get(key));
                                        Long found = cache.find(key);
                                        if (found == null) {
                                            long ticket = cache.beginLoad(key);
                                            found = things.get(key);
                                            cache.offer(key, found, ticket, 0);
                                        } else {
                                            hits.incrementAndGet();
                                        }
                                        assertThat(found)
                                                .as("seed %s, key %s", seed, key)
                                                .isGreaterThanOrEqualTo(least);
                                        seen[key] = found;
                                    }
                                }));
            }
            SplittableRandom random = new SplittableRandom(seed);
            // On a busy machine the readers come late: the changes go on until they have found
            // something.
            for (long change = 1;
                    change <= 100_000 || (hits.get() < 100 && change < LIMIT);
                    change++) {
                int key = random.nextInt(keys);
                cache.beginChange(key);
                things.set(key, change);
                cache.endChange(key);
                ended.set(key, change);
            }
            stop.set(true);
            for (Future<?> reader : readers) {
                reader.get();
            }
        }
        assertThat(hits.get()).as("hits").isPositive();
        for (int key = 0; key < keys; key++) {
            Long left = cache.find(key);
            assertThat(left == null || left == things.get(key)).as("key %s", key).isTrue();
        }
    }
}
