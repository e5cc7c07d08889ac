package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.EngineFailure;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.recovery.EpochAllocator;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import io.stele.scheduler.SimulatedPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TestEpochs {
    private static final long NOW = 1_700_000_000_000L;

    private final InMemoryObjectStore store = new InMemoryObjectStore();

    @Test
    void startsInOneMillisecondAndOnClocksThatGoBackGetGrowingEpochs() throws IOException {
        long last = 0;
        for (long millis : new long[] {NOW, NOW, NOW, NOW - 3_600_000, 0, NOW + 1, NOW}) {
            long epoch = new EpochAllocator(store).take(new HybridClock(() -> millis));
            assertThat(epoch).isGreaterThan(last);
            last = epoch;
        }
    }

    @Test
    void manyThatReadTheSameListGetDifferentEpochs() throws IOException {
        Set<Long> taken = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            // As if it had listed before any other took one: the names are what decides
            HybridClock clock = new HybridClock(() -> NOW);
            assertThat(taken.add(new EpochAllocator(store).take(clock))).isTrue();
        }
    }

    @Test
    void anUnknownOutcomeTakesAnotherEpoch() throws IOException {
        for (int seed = 0; seed < 200; seed++) {
            FaultInjectingObjectStore faulty =
                    new FaultInjectingObjectStore(
                            CrashPoint.never(),
                            new StoreFaults(0.1, 0.2, 0.2, 0, 0),
                            new SplittableRandom(seed),
                            nanos -> {});
            Set<Long> taken = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                try {
                    long epoch = new EpochAllocator(faulty).take(new HybridClock(() -> NOW));
                    assertThat(taken.add(epoch)).as("seed %s", seed).isTrue();
                } catch (IOException refused) {
                    // the list could not be read
                }
            }
        }
    }

    @Test
    void onlyTheNewestEpochsAreKept() throws IOException {
        for (int i = 0; i < 150; i++) {
            new EpochAllocator(store).take(new HybridClock(() -> NOW));
        }
        assertThat(store.list(EpochAllocator.FOLDER)).hasSizeBetween(100, 101);
    }

    @Test
    void ofTwoEnginesThatOpenInOneMillisecondTheLaterOneOwnsTheShards() throws IOException {
        Node first = new Node();
        TestTable table = TestTable.create(first.engine, "t", Orientation.COLUMN, true, 1);
        table.upsert(first.engine, 1, "of the first", 1);
        first.pool.runUntilIdle(100_000);
        first.engine.flush(table.id());
        first.pool.runUntilIdle(100_000);

        Node second = new Node();
        TestTable same = table;
        same.upsert(second.engine, 2, "of the second", 2);
        second.pool.runUntilIdle(100_000);
        var flushed = second.engine.flush(table.id());
        second.pool.runUntilIdle(100_000);
        assertThat(flushed).isCompleted();

        assertThat(first.engine.failed()).isNotDone();
        assertThat(failureOfLate(first, same, 3)).contains("another engine owns the shard");
        assertThat(first.engine.failed()).isCompletedWithValueMatching(EngineFailure::isTakenOver);
        assertThat(second.engine.failed()).isNotDone();
        assertRefused(
                ErrorCode.UNAVAILABLE,
                () ->
                        first.engine.multiGet(
                                table.id(),
                                java.util.Optional.<Lsn>empty(),
                                List.of(table.key(1))));
        assertThat(second.engine.status().failedShards()).isEmpty();
        assertThat(table.get(second.engine, java.util.Optional.empty(), 1))
                .contains("of the first:1");
        assertThat(table.get(second.engine, java.util.Optional.empty(), 2))
                .contains("of the second:2");
    }

    @Test
    void whoseNextManifestWasLongDeletedIsFencedAsWell() throws IOException {
        Node first = new Node();
        TestTable table = TestTable.create(first.engine, "t", Orientation.COLUMN, true, 1);
        write(first, table, 1);
        assertThat(manifests()).last().asString().endsWith("1");

        Node second = new Node(); // creates version 2
        for (int i = 2; i <= 40; i++) {
            write(second, table, i);
            assertThat(manifests()).as("versions and bases").hasSizeLessThanOrEqualTo(5 + 8 + 2);
        }
        assertThat(manifests()).noneMatch(path -> path.endsWith("00000000000000000002"));

        assertThat(failureOfLate(first, table, 41))
                .contains("expected to create manifest version 2")
                .contains("another engine owns the shard");
        Node third = new Node();
        for (int i = 1; i <= 40; i++) {
            assertThat(table.get(third.engine, java.util.Optional.empty(), i)).contains("x:" + i);
        }
    }

    /** Writes with an engine that lost its shard; says how the shard failed. */
    private static String failureOfLate(Node node, TestTable table, int key) {
        table.upsert(node.engine, key, "too late", key);
        node.pool.runUntilIdle(100_000);
        var fenced = node.engine.flush(table.id());
        node.pool.runUntilIdle(100_000);
        node.pool.tick();
        node.pool.runUntilIdle(100_000);
        assertThat(fenced).isCompletedExceptionally();
        assertThat(node.engine.status().failedShards()).hasSize(1);
        return String.valueOf(node.engine.status().failedShards().getFirst());
    }

    private static void write(Node node, TestTable table, int key) {
        table.upsert(node.engine, key, "x", key);
        node.pool.runUntilIdle(100_000);
        var flushed = node.engine.flush(table.id());
        node.pool.runUntilIdle(100_000);
        assertThat(flushed).isCompleted();
    }

    private List<String> manifests() throws IOException {
        return store.list("manifest/").stream().map(ObjectEntry::path).toList();
    }

    /** An engine with a log of its own, whose clock stands still. */
    private final class Node {
        private final List<Throwable> uncaught = new ArrayList<>();
        private final SimulatedPool pool =
                new SimulatedPool(new SplittableRandom(1), uncaught::add);
        private final StorageEngine engine;

        Node() throws IOException {
            engine =
                    StorageEngine.open(
                            StorageOptions.DEFAULT.withGivenUpLog(NamedLogs.id(store)),
                            store,
                            new InMemoryLogFiles(CrashPoint.never(), new SplittableRandom(2)),
                            new HybridClock(() -> NOW),
                            EngineThreads.simulated(pool, uncaught::add));
        }
    }
}
