package io.stele.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.cache.BenefitCache.Claim;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestBenefitCache {
    private static BenefitCache<String, byte[]> cache(long maxBytes, long verifyEvery) {
        return new BenefitCache<>(
                new BenefitCacheOptions(maxBytes, 1_000, verifyEvery),
                key -> key.substring(0, 1),
                String::length,
                value -> value.length);
    }

    @Test
    void eachOwnerHasItsCounts() {
        BenefitCache<String, byte[]> cache = cache(10_000, 0);
        cache.claim("a1");
        cache.finish("a1", Optional.of(new byte[10]), 100);
        cache.claim("a1");
        cache.claim("b1");
        cache.claim("b1"); // follows
        cache.finish("b1", Optional.of(new byte[1_001]), 5);
        BenefitStatistics a = cache.ownerStatistics().get("a");
        assertThat(a.hits()).isEqualTo(1);
        assertThat(a.misses()).isEqualTo(1);
        assertThat(a.hitBytes()).isEqualTo(10);
        assertThat(a.savedNanos()).isEqualTo(100);
        assertThat(a.entries()).isEqualTo(1);
        BenefitStatistics b = cache.ownerStatistics().get("b");
        assertThat(b.followed()).isEqualTo(1);
        assertThat(b.oversized()).isEqualTo(1);
        assertThat(b.entries()).isZero();
        assertThat(b.sizeBytes()).isZero();
        cache.mismatch("a1");
        assertThat(cache.ownerStatistics().get("a").mismatches()).isEqualTo(1);
        assertThat(cache.statistics().entries()).isZero();
        assertThat(cache.statistics().sizeBytes()).isZero();
    }

    @Test
    void lookingAloneIsNoTask() {
        BenefitCache<String, byte[]> cache = cache(10_000, 0);
        assertThat(cache.find("a1")).isEmpty();
        assertThat(cache.statistics().misses()).isZero();
        assertThat(cache.claim("a1").isTask()).isTrue();
        cache.finish("a1", Optional.of(new byte[1]), 1);
        assertThat(cache.find("a1")).isPresent();
    }

    /** What an earlier process computed comes while others compute and find. */
    @Test
    void whatIsRestoredReplacesNothingNewer() {
        BenefitCache<String, byte[]> cache = cache(10_000, 0);
        assertThat(cache.restore("a1", new byte[1], 1)).isTrue();
        // A newer one of the same earlier process
        assertThat(cache.restore("a1", new byte[2], 1)).isTrue();
        assertThat(cache.find("a1").orElseThrow().value()).hasSize(2);

        assertThat(cache.claim("b1").isTask()).isTrue();
        assertThat(cache.restore("b1", new byte[1], 1)).isFalse();
        cache.finish("b1", Optional.of(new byte[3]), 1);
        assertThat(cache.restore("b1", new byte[1], 1)).isFalse();
        assertThat(cache.find("b1").orElseThrow().value()).hasSize(3);

        cache.mismatch("a1");
        assertThat(cache.restore("a1", new byte[2], 1)).isFalse();
        assertThat(cache.find("a1")).isEmpty();
        // Only what is restored is kept out
        assertThat(cache.claim("a1").isTask()).isTrue();
        assertThat(cache.finish("a1", Optional.of(new byte[4]), 1)).isTrue();
    }

    /** Keys of wrong values have a limit. */
    @Test
    void whereMuchWasWrongNothingIsRestored() {
        BenefitCache<String, byte[]> cache = cache(10_000, 0);
        for (int i = 0; i < 999; i++) {
            cache.mismatch("a" + i);
        }
        assertThat(cache.restore("b1", new byte[1], 1)).isTrue();
        cache.mismatch("a999");
        assertThat(cache.restore("b2", new byte[1], 1)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void bytesAreWithinTheLimitAndValuesThoseOfTheirKeys(long seed) {
        Random random = new Random(seed);
        BenefitCache<String, byte[]> cache = cache(5_000, 7);
        Map<String, byte[]> computations = new HashMap<>();
        for (int step = 0; step < 5_000; step++) {
            int number = random.nextInt(60);
            String key = (char) ('a' + number % 4) + "" + number;
            if (computations.containsKey(key)) {
                cache.finish(
                        key,
                        random.nextInt(4) == 0
                                ? Optional.empty()
                                : Optional.of(computations.get(key)),
                        random.nextInt(1_000));
                computations.remove(key);
            } else {
                Claim<byte[]> claim = cache.claim(key);
                if (claim.isTask()) {
                    computations.put(key, new byte[1 + number * 20]);
                } else {
                    assertThat(claim.value()).hasSize(1 + number * 20);
                }
            }
            BenefitStatistics statistics = cache.statistics();
            assertThat(statistics.sizeBytes()).isBetween(0L, 5_000L);
            assertThat(
                            cache.ownerStatistics().values().stream()
                                    .mapToLong(BenefitStatistics::sizeBytes)
                                    .sum())
                    .isEqualTo(statistics.sizeBytes());
            assertThat(
                            cache.ownerStatistics().values().stream()
                                    .mapToLong(BenefitStatistics::entries)
                                    .sum())
                    .isEqualTo(statistics.entries());
        }
        assertThat(cache.statistics().spaceEvictions()).isPositive();
        assertThat(cache.statistics().oversized()).isPositive();
        assertThat(cache.statistics().verified()).isPositive();
    }

    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> new BenefitCacheOptions(-1, 1, 0))
                .hasMessage("Expected maxBytes of at least 0, found -1");
        assertThat(BenefitCacheOptions.of(5, 4, 0.1).verifyEvery()).isEqualTo(10);
        assertThat(BenefitCacheOptions.of(5, 4, 1).verifyEvery()).isEqualTo(1);
        assertThat(BenefitCacheOptions.of(5, 4, 0).verifyEvery()).isZero();
    }
}
