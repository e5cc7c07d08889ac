package io.stele.engine.aggregate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cache.BenefitCache.Claim;
import io.stele.cache.BenefitCacheOptions;
import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.AggregateFunction;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class TestAggregateCache {
    private final List<String> mismatches = new ArrayList<>();

    private AggregateCache cache(long maxBytes, long verifyEvery) {
        return new AggregateCache(
                new BenefitCacheOptions(maxBytes, 1_000, verifyEvery), () -> 0, mismatches::add);
    }

    private static AggregateCacheKey key(String path) {
        return new AggregateCacheKey("f", path, 0);
    }

    private static void put(AggregateCache cache, String path, int bytes, long nanos) {
        Claim<byte[]> claim = cache.claim(key(path));
        assertThat(claim.value()).isNull();
        assertThat(claim.computation()).isNull();
        cache.finish(key(path), Optional.of(new byte[bytes]), nanos);
    }

    private static boolean has(AggregateCache cache, String path) {
        Claim<byte[]> claim = cache.claim(key(path));
        if (claim.value() == null && claim.computation() == null) {
            cache.finish(key(path), Optional.empty(), 0);
        }
        return claim.value() != null;
    }

    @Test
    void whatSavesLeastForItsBytesMakesRoom() {
        AggregateCache cache = cache(3_000, 0);
        put(cache, "cheap", 500, 1_000);
        put(cache, "dear", 500, 1_000_000);
        put(cache, "middle", 500, 50_000);
        put(cache, "new", 500, 60_000);
        assertThat(has(cache, "cheap")).isFalse();
        assertThat(has(cache, "dear")).isTrue();
        assertThat(has(cache, "middle")).isTrue();
        assertThat(has(cache, "new")).isTrue();
        assertThat(cache.statistics().spaceEvictions()).isEqualTo(1);
        assertThat(cache.statistics().sizeBytes()).isBetween(1L, 3_000L);
        assertThat(cache.statistics().savedNanos()).isEqualTo(1_110_000);
    }

    @Test
    void whatIsFoundOftenStaysBeforeWhatIsDearOnce() {
        AggregateCache cache = cache(2_000, 0);
        put(cache, "often", 400, 10_000);
        for (int i = 0; i < 50; i++) {
            assertThat(has(cache, "often")).isTrue();
        }
        put(cache, "once", 400, 100_000);
        put(cache, "more", 400, 200_000);
        assertThat(has(cache, "often")).isTrue();
        assertThat(has(cache, "once")).isFalse();
    }

    @Test
    void oneComputesAndTheOthersWait() {
        AggregateCache cache = cache(10_000, 0);
        AggregateCacheKey key = key("f");
        Claim<byte[]> first = cache.claim(key);
        assertThat(first.value()).isNull();
        assertThat(first.computation()).isNull();
        CompletableFuture<Optional<byte[]>> second = cache.claim(key).computation();
        assertThat(second).isNotNull().isNotDone();
        byte[] result = "result".getBytes(UTF_8);
        cache.finish(key, Optional.of(result), 5);
        assertThat(second).isCompletedWithValue(Optional.of(result));
        assertThat(cache.claim(key).value()).isEqualTo(result);
        assertThat(cache.statistics().followed()).isEqualTo(1);
    }

    @Test
    void whatWasGivenUpIsComputedByTheNext() {
        AggregateCache cache = cache(10_000, 0);
        AggregateCacheKey key = key("f");
        cache.claim(key);
        CompletableFuture<Optional<byte[]>> waiting = cache.claim(key).computation();
        cache.finish(key, Optional.empty(), 0);
        assertThat(waiting).isCompletedWithValue(Optional.empty());
        Claim<byte[]> next = cache.claim(key);
        assertThat(next.value()).isNull();
        assertThat(next.computation()).isNull();
    }

    @Test
    void largeResultsAreNotKept() {
        AggregateCache cache = cache(10_000, 0);
        put(cache, "large", 1_001, 1_000_000);
        assertThat(has(cache, "large")).isFalse();
        assertThat(cache.statistics().oversized()).isEqualTo(1);
    }

    @Test
    void aWrongResultIsToldAndForgotten() {
        AggregateCache cache = cache(10_000, 2);
        put(cache, "f", 8, 10);
        assertThat(cache.claim(key("f")).verify()).isFalse();
        Claim<byte[]> claim = cache.claim(key("f"));
        assertThat(claim.verify()).isTrue();
        byte[] found = claim.value();
        cache.verify(key("f"), found, found.clone());
        assertThat(mismatches).isEmpty();
        cache.verify(key("f"), found, new byte[] {1});
        assertThat(mismatches).singleElement().asString().contains("cached result", "f");
        assertThat(cache.statistics().mismatches()).isEqualTo(1);
        assertThat(has(cache, "f")).isFalse();
    }

    /** The log may be read when a query has found its result wrong, and computed it anew. */
    @Test
    void aWrongResultDoesNotComeBackFromTheLog() {
        AggregateCache cache = cache(10_000, 0);
        byte[] wrong = {1};
        byte[] right = {2};
        cache.restore(key("f"), wrong, 1);
        cache.verify(key("f"), wrong, right);
        cache.restore(key("f"), wrong, 1);
        assertThat(cache.claim(key("f")).isTask()).isTrue();
        cache.restore(key("f"), wrong, 1);
        cache.finish(key("f"), Optional.of(right), 1);
        cache.restore(key("f"), wrong, 1);
        assertThat(cache.claim(key("f")).value()).isEqualTo(right);
    }

    @Test
    void deletedRowsAndFragmentsAreOtherKeys() {
        AggregateCache cache = cache(10_000, 0);
        put(cache, "f", 8, 10);
        assertThat(cache.claim(new AggregateCacheKey("f", "f", 1)).value()).isNull();
        assertThat(cache.claim(new AggregateCacheKey("g", "f", 0)).value()).isNull();
    }

    /** It is computed, and what was kept is gone for others too. */
    @Test
    void aResultThatCannotBeReadIsComputed() {
        TableSchema table =
                TableSchema.builder("s", "t")
                        .columns(List.of(new ColumnSchema(1, "id", ScalarType.BIGINT)))
                        .build();
        Aggregation count =
                new Aggregation(
                        List.of(),
                        List.of(new AggregateCall(AggregateFunction.COUNT, Optional.empty())),
                        10);
        AggregatePlan plan = new AggregatePlan(table, count, ScanPredicate.ALL);
        AggregateCacheTally tally = new AggregateCacheTally();
        for (byte[] broken : List.of(new byte[0], new byte[] {1, 2, 3}, new byte[500])) {
            AggregateCache cache = cache(10_000, 0);
            cache.restore(key("p"), broken, 1);
            AggregateCacheLookup run = new AggregateCacheLookup(cache, key("p"), plan, tally);
            AggregateCacheLookup other = new AggregateCacheLookup(cache, key("p"), plan, tally);
            assertThat(run.waitsFor()).isEmpty();
            assertThat(run.isCached()).isFalse();
            assertThat(cache.statistics().mismatches()).isEqualTo(1);
            assertThat(mismatches.removeFirst()).contains("cannot be read");
            assertThat(other.waitsFor()).isPresent();
            GroupedState state = plan.newState();
            state.addCount(0, 7);
            run.complete(state);
            assertThat(other.waitsFor()).isEmpty();
            assertThat(other.isCached()).isTrue();
            assertThat(other.result()).isNotNull();
        }
    }
}
