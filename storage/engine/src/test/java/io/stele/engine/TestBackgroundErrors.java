package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.transaction.Decision;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.scheduler.SimulatedPool;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of the machine, such as a class that does not load, in the middle of background work. */
class TestBackgroundErrors {
    private static final int TASK_LIMIT = 1_000_000;

    private final List<Throwable> uncaught = new ArrayList<>();
    private final FailingStore store = new FailingStore(new InMemoryObjectStore());
    private final SimulatedPool pool = new SimulatedPool(new SplittableRandom(1), uncaught::add);
    private long nowMillis = 1_700_000_000_000L;

    @ParameterizedTest
    @ValueSource(strings = {"data/", "manifest/"})
    void aFlushThatMeetsAnErrorIsTriedAgain(String prefix) throws IOException {
        try (StorageEngine engine = open()) {
            TestTable table = TestTable.create(engine, "t", Orientation.ROW, true, 1);
            await(table.upsert(engine, 1, "row", 1));
            store.failing = prefix;
            store.failures = 2;
            assertTold(engine.flush(table.id()));
            tick(200); // longer than any pause
            assertThat(store.failures).as("it is tried again without being asked").isZero();
            await(table.upsert(engine, 2, "row", 2));
            await(engine.flush(table.id()));
            assertThat(engine.status().failedShards()).isEmpty();
            assertThat(uncaught).isEmpty();
        }
    }

    @Test
    void aMergeThatMeetsAnErrorIsTriedAgain() throws IOException {
        try (StorageEngine engine = open()) {
            TestTable table = TestTable.create(engine, "t", Orientation.COLUMN, true, 1);
            for (int file = 0; file < 3; file++) {
                await(table.upsert(engine, file, "row", 1));
                await(engine.flush(table.id()));
            }
            store.failing = "data/";
            store.failures = 1;
            assertTold(engine.compact(table.id()));
            tick(200);
            await(engine.compact(table.id()));
            assertThat(store.failures).isZero();
            assertThat(engine.status().failedShards()).isEmpty();
        }
    }

    @Test
    void aDecisionThatMeetsAnErrorIsTriedAgain() throws IOException {
        try (StorageEngine engine = open()) {
            TestTable table = TestTable.create(engine, "t", Orientation.ROW, true, 2);
            store.failing = Decision.FOLDER;
            store.failures = 3;
            String transaction = engine.beginTransaction(table.id(), Optional.empty());
            WriteBatchBuilder batch = table.batch();
            batch.upsert(table.key(1), table.row(1, "row", 1));
            engine.stage(transaction, table.shard(1), batch.toByteArray(), 0, batch.sizeBytes());
            await(engine.commit(transaction, List.of(), Optional.empty()));
            assertThat(store.failures).isZero();
            assertThat(uncaught).as("told once").hasSize(1);
            await(table.upsert(engine, 1, "later", 1));
        }
    }

    @Test
    void anIndexBuildThatFailsHoldsNoOther() throws IOException {
        try (StorageEngine engine = open()) {
            TestTable table = TestTable.create(engine, "t", Orientation.ROW, true, 1);
            await(table.upsert(engine, 1, "row", 1));
            await(engine.flush(table.id()));
            store.failing = "data/";
            store.failures = 1;
            engine.catalog()
                    .setOptions(
                            table.id(),
                            List.of(TableOption.INDEXES),
                            TableOptions.NONE.withIndexes(
                                    List.of(
                                            new IndexSchema(1, "a", List.of(2), false, false),
                                            new IndexSchema(2, "b", List.of(3), false, false))));
            pool.runUntilIdle(TASK_LIMIT);
            assertThat(store.failures).isZero();
            assertThat(readyIndexes(engine, table)).as("in the same tick").containsExactly("b");
            await(engine.awaitIndexes(table.id()));
            assertThat(readyIndexes(engine, table)).containsExactly("a", "b");
        }
    }

    private static List<String> readyIndexes(StorageEngine engine, TestTable table) {
        return engine.catalog().current().table(table.id()).options().indexes().stream()
                .filter(IndexSchema::ready)
                .map(IndexSchema::name)
                .toList();
    }

    private StorageEngine open() throws IOException {
        return StorageEngine.open(
                StorageOptions.DEFAULT
                        .withOnePhase(0) // transactions are decided by objects
                        .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1)),
                store,
                new InMemoryLogFiles(CrashPoint.never(), new SplittableRandom(1)),
                new HybridClock(() -> nowMillis),
                EngineThreads.simulated(pool, uncaught::add));
    }

    private void await(CompletableFuture<?> future) {
        for (int ticks = 0; ticks < 500 && !future.isDone(); ticks++) {
            tick(1);
        }
        assertThat(future).isCompleted();
    }

    /** Whoever asked for it hears of it. */
    private void assertTold(CompletableFuture<?> future) {
        tick(10);
        assertThat(future)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withMessageContaining("NoClassDefFoundError");
    }

    private void tick(int times) {
        for (int i = 0; i < times; i++) {
            pool.runUntilIdle(TASK_LIMIT);
            nowMillis += 500;
            pool.tick();
        }
    }

    /** A store in which the next changes below a prefix end in an error. */
    private static final class FailingStore extends ForwardingObjectStore {
        private String failing = "";
        private int failures;

        FailingStore(ObjectStore store) {
            super(store);
        }

        private void check(String path) {
            if (failures > 0 && path.startsWith(failing)) {
                failures--;
                throw new NoClassDefFoundError("a codec, for " + path);
            }
        }

        @Override
        public boolean createIfAbsent(String path, byte[] content) throws IOException {
            check(path);
            return super.createIfAbsent(path, content);
        }

        @Override
        public ObjectWriter create(String path) throws IOException {
            check(path);
            return super.create(path);
        }
    }
}
