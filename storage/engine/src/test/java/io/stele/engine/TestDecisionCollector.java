package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.transaction.Decision;
import io.stele.engine.transaction.DecisionCollector;
import io.stele.engine.transaction.TransactionIds;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.scheduler.SimulatedPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TestDecisionCollector {
    private static final int OLD = 1_000;
    private static final int TASK_LIMIT = 1_000_000;
    private static final long MINUTE_MILLIS = 60_000;
    private static final long KEPT_MILLIS = DecisionCollector.KEPT_MILLIS;

    private final List<String> requests = new ArrayList<>();
    private final List<Throwable> uncaught = new ArrayList<>();
    private long nowMillis = 1_700_000_000_000L;

    @Test
    void aStartAsksForNoDecisionThatItDoesNotNeedAndOldOnesGoWhileItServes() throws IOException {
        ObjectStore store = new CountingStore(new InMemoryObjectStore());
        for (int i = 0; i < OLD; i++) {
            create(store, TransactionIds.of(1, i, Optional.empty()));
        }
        create(store, TransactionIds.of(1, OLD, Optional.of(new TableId(77))));
        String later = TransactionIds.of(Long.MAX_VALUE, 1, Optional.empty());
        create(store, later);
        requests.clear();

        SimulatedPool pool = new SimulatedPool(new SplittableRandom(1), uncaught::add);
        try (StorageEngine engine = open(store, pool)) {
            assertThat(requests).isEmpty();
            assertThat(engine.status().openTransactions()).isZero();
            tick(pool, KEPT_MILLIS - MINUTE_MILLIS);
            assertThat(requests).as("clients may still repeat their commits").isEmpty();
            tick(pool, MINUTE_MILLIS);
            for (int ticks = 0; ticks < 20; ticks++) {
                tick(pool, 500);
            }
            assertThat(requests).hasSize(1 + OLD + 1);
            assertThat(requests).filteredOn(request -> request.startsWith("list")).hasSize(1);
            assertThat(requests)
                    .filteredOn(request -> request.startsWith("delete"))
                    .hasSize(OLD + 1);
            assertThat(store.list(Decision.FOLDER))
                    .extracting(ObjectEntry::path)
                    .containsExactly(Decision.path(later));
        }
        assertThat(uncaught).isEmpty();
    }

    /** By its decision, or by the outcomes that are saved before the log is trimmed. */
    @ParameterizedTest
    @ValueSource(longs = {0, 4 << 20})
    void aCommitCanBeRepeatedForHoursAlsoIfTheNodeWasDown(long onePhaseBytes) throws IOException {
        SimulatedNode node =
                SimulatedNode.start(StorageOptions.DEFAULT.withOnePhase(onePhaseBytes), 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(1), table.row(1, "row", 1));
        node.engine().stage(transaction, table.shard(1), batch.toByteArray(), 0, batch.sizeBytes());
        Lsn lsn = node.await(node.commit(transaction, List.of()));
        node.tick(KEPT_MILLIS - MINUTE_MILLIS);
        assertThat(node.await(node.commit(transaction, List.of()))).isEqualTo(lsn);
        node.advance(100 * KEPT_MILLIS);
        node.restart();
        node.tick(KEPT_MILLIS - MINUTE_MILLIS);
        assertThat(node.await(node.commit(transaction, List.of()))).isEqualTo(lsn);

        node.store().setFaults(StoreFaults.OUTAGE);
        node.tick(2 * MINUTE_MILLIS);
        node.tick(500);
        assertThat(node.uncaught()).as("told once").hasSizeBetween(1, 2);
        node.store().setFaults(StoreFaults.NONE);
        node.tick(500);
        node.tick(onePhaseBytes == 0 ? 500 : 2 * KEPT_MILLIS); // saved a moment ago
        node.tick(500);
        assertThat(node.store().list(Decision.FOLDER)).isEmpty();
        assertRefused(
                ErrorCode.TRANSACTION_NOT_FOUND,
                () -> node.await(node.commit(transaction, List.of())));
    }

    @Test
    void decisionsOfThisEngineGoHoursAfterTheyWereMade() throws IOException {
        SimulatedNode node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 2);
        for (int i = 0; i < 100; i++) {
            String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
            node.await(node.commit(transaction, List.of()));
        }
        node.tick(KEPT_MILLIS / 2);
        String last = node.engine().beginTransaction(table.id(), Optional.empty());
        node.await(node.commit(last, List.of()));
        assertThat(node.store().list(Decision.FOLDER)).hasSize(101);
        for (int ticks = 0; ticks < 4; ticks++) {
            node.tick(KEPT_MILLIS / 6);
        }
        assertThat(node.store().list(Decision.FOLDER))
                .extracting(ObjectEntry::path)
                .containsExactly(Decision.path(last));
    }

    /** Nobody else knows that its table is to be public. */
    @Test
    void noDecisionGoesWhileOneOfAStagedTableIsDamaged() throws IOException {
        SimulatedNode node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        TestTable staged =
                TestTable.create(
                        node.engine(),
                        "staged",
                        Orientation.ROW,
                        true,
                        1,
                        List.of(),
                        TableState.STAGED);
        String transaction = node.engine().beginTransaction(staged.id(), Optional.empty());
        CompletableFuture<Lsn> commit =
                node.engine().commit(transaction, List.of(), Optional.of(staged.id()));
        while (node.store().list(Decision.path(transaction)).isEmpty()) {
            assertThat(node.pool().runOne()).isTrue();
        }
        assertThat(commit).isNotDone();
        String path = Decision.path(transaction);
        byte[] good = node.store().readFully(path);
        byte[] bad = good.clone();
        bad[good.length / 2] ^= 1;
        node.store().put(path, bad);
        node.restart();
        for (int ticks = 0; ticks < 4; ticks++) {
            node.tick(KEPT_MILLIS);
        }
        assertThat(node.store().readFully(path)).isEqualTo(bad);

        node.store().put(path, good);
        node.restart();
        assertThat(node.engine().catalog().current().table("test", "staged").id())
                .isEqualTo(staged.id());
    }

    private void create(ObjectStore store, String transactionId) throws IOException {
        Decision decision =
                new Decision(transactionId, true, Lsn.of(nowMillis, 0), Optional.empty(), 1);
        store.createIfAbsent(Decision.path(transactionId), decision.encode());
    }

    private StorageEngine open(ObjectStore store, SimulatedPool pool) throws IOException {
        return StorageEngine.open(
                StorageOptions.DEFAULT,
                store,
                new InMemoryLogFiles(CrashPoint.never(), new SplittableRandom(1)),
                new HybridClock(() -> nowMillis),
                EngineThreads.simulated(pool, uncaught::add));
    }

    private void tick(SimulatedPool pool, long millis) {
        nowMillis += millis;
        pool.tick();
        pool.runUntilIdle(TASK_LIMIT);
    }

    /** Notes the requests about decisions. */
    private final class CountingStore extends ForwardingObjectStore {
        CountingStore(ObjectStore store) {
            super(store);
        }

        private void note(String request, String path) {
            if (path.startsWith(Decision.FOLDER)) {
                requests.add(request + " " + path);
            }
        }

        @Override
        public byte[] readFully(String path) throws IOException {
            note("read", path);
            return super.readFully(path);
        }

        @Override
        public void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException {
            note("list", prefix);
            super.forEach(prefix, action);
        }

        @Override
        public void delete(String path) throws IOException {
            note("delete", path);
            super.delete(path);
        }
    }
}
