package io.stele.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.TestingSidecar.Fault;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sidecar that has no room for batches. */
@Timeout(300)
final class TestBusyWrites extends BaseClientTest {
    private static final ClientSettings SETTINGS = ClientSettings.DEFAULT.withMaxBatchRows(7);
    private static final ErrorReply BUSY = new ErrorReply(ErrorCode.BUSY, "no room");

    @Test
    void testRowsArriveOnceAndInOrderThoughBatchesAreRefused() {
        int refused = 0;
        for (long seed = 1; seed <= 8; seed++) {
            Random random = new Random(seed);
            OrderKeeper keeper = new OrderKeeper(new Random(seed + 100), 6);
            Random faulty = new Random(seed + 200);
            sidecar.refusals(keeper);
            sidecar.faults(
                    write -> {
                        synchronized (faulty) {
                            return switch (faulty.nextInt(40)) {
                                case 0 -> Fault.BREAK_BEFORE;
                                case 1 -> Fault.BREAK_AFTER;
                                default -> Fault.NONE;
                            };
                        }
                    });
            long before = sidecar.operations();
            TreeMap<Long, String> expected = new TreeMap<>();
            int count = 1_000;
            try (SteleClient client = client(SETTINGS);
                    TableWriter writer = client.writer("s", "t")) {
                UUID writerId = writer.writerId();
                for (int i = 0; i < count; i++) {
                    long key = random.nextInt(60);
                    writer.write(key, "value " + i);
                    expected.put(key, "value " + i);
                }
                writer.flush();
                assertThat(client.inFlightBytes()).isZero();
                assertThat(writer.writerId()).isEqualTo(writerId);
            }
            assertThat(sidecar.violations()).as("seed %s", seed).isEmpty();
            assertThat(sidecar.operations() - before).as("seed %s", seed).isEqualTo(count);
            assertThat(contents()).as("seed %s", seed).isEqualTo(expected);
            refused += keeper.refused();
        }
        assertThat(refused).isGreaterThan(100);
    }

    @Test
    void testWhatWasOvertakenFails() {
        AtomicBoolean refusedOne = new AtomicBoolean();
        sidecar.hold();
        // Unlike a sidecar that keeps a writer's order.
        sidecar.refusals(
                write ->
                        refusedOne.compareAndSet(false, true)
                                ? Optional.of(BUSY)
                                : Optional.empty());
        try (SteleClient client = client(SETTINGS)) {
            TableWriter writer = client.writer("s", "t");
            CompletableFuture<Lsn> overtaken = writer.upsert(1L, "first");
            awaitInFlight(client, 0);
            long first = client.inFlightBytes();
            List<CompletableFuture<Lsn>> later = new ArrayList<>();
            later.add(writer.upsert(1L, "later 0"));
            awaitInFlight(client, first); // it is on its way before the first is answered
            for (long key = 1; key < 14; key++) {
                later.add(writer.upsert(1L, "later " + key));
            }
            sidecar.release();
            assertThatThrownBy(overtaken::get)
                    .hasRootCauseInstanceOf(SteleException.class)
                    .hasMessageContaining("refused a batch as BUSY and applied a later one");
            later.stream().filter(future -> future != overtaken).forEach(CompletableFuture::join);
            assertThatThrownBy(writer::flush)
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
            writer.write(2L, "goes on");
            writer.flush();
            assertThat(client.inFlightBytes()).isZero();
        }
        assertThat(contents()).containsEntry(1L, "later 13").containsEntry(2L, "goes on");
        assertThat(sidecar.violations()).isEmpty();
    }

    /** What a sidecar had read before may be applied, whatever it says over another connection. */
    @Test
    void testABatchThatWasLostIsNotCalledUnapplied() {
        AtomicInteger sent = new AtomicInteger();
        sidecar.faults(write -> sent.incrementAndGet() == 1 ? Fault.BREAK_AFTER : Fault.NONE);
        sidecar.refusals(write -> sent.get() > 1 ? Optional.of(BUSY) : Optional.empty());
        try (SteleClient client = client(SETTINGS.withBusyTimeout(Duration.ofMillis(100)))) {
            TableWriter writer = client.writer("s", "t");
            CompletableFuture<Lsn> lost = writer.upsert(1L, "lost");
            assertThatThrownBy(writer::flush)
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN))
                    .hasMessageContaining("may be applied")
                    .hasMessageContaining("no room");
            assertThat(lost).isCompletedExceptionally();
            assertThat(contents()).containsEntry(1L, "lost");
        }
    }

    @Test
    void testASidecarThatStaysBusyFailsTheRowsAndTheWriterGoesOnUnderAnotherId() {
        OrderKeeper keeper = new OrderKeeper(new Random(1), 1);
        sidecar.refusals(keeper);
        try (SteleClient client = client(SETTINGS.withBusyTimeout(Duration.ofMillis(100)))) {
            TableWriter writer = client.writer("s", "t");
            UUID before = writer.writerId();
            List<CompletableFuture<Lsn>> futures = new ArrayList<>();
            for (long key = 0; key < 20; key++) {
                futures.add(writer.upsert(key, "refused"));
            }
            assertThatThrownBy(writer::flush)
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
                    .hasMessageContaining("has taken nothing for")
                    .hasMessageContaining("no room");
            for (CompletableFuture<Lsn> future : futures) {
                assertThat(future).isCompletedExceptionally();
            }
            assertThat(client.inFlightBytes()).isZero();
            assertThat(sidecar.operations()).isZero();
            keeper.endRefusals();
            writer.write(1L, "taken");
            writer.flush();
            assertThat(writer.writerId()).isNotEqualTo(before);
        }
        assertThat(contents()).isEqualTo(Map.of(1L, "taken"));
    }

    @Test
    void testRowsOfRefusedBatchesAreEncodedAnewForANewColumn() {
        OrderKeeper keeper = new OrderKeeper(new Random(1), 1);
        sidecar.refusals(keeper);
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            for (long i = 0; i < 50; i++) {
                writer.write(i % 5, "v" + i);
            }
            keeper.awaitRefused(3);
            sidecar.table(TestingTables.keyedWithNote(1, 2));
            keeper.endRefusals();
            writer.flush();
            writer.write(7L, "w", "note");
            writer.flush();
        }
        assertThat(sidecar.operations()).isEqualTo(51);
        assertThat(sidecar.rows()).hasSize(6);
        assertThat(sidecar.violations()).isEmpty();
    }

    @Test
    void testAnUnansweredBatchWaitsForTheRefusedOneBeforeIt() {
        List<Long> arrived = new CopyOnWriteArrayList<>();
        sidecar.hold();
        // A sidecar that forgot, when it started again, that it refused the first.
        sidecar.faults(
                write -> {
                    arrived.add(write.sequence());
                    return arrived.size() == 2 ? Fault.BREAK_BEFORE : Fault.NONE;
                });
        sidecar.refusals(write -> arrived.size() == 1 ? Optional.of(BUSY) : Optional.empty());
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            writer.write(1L, "first");
            awaitInFlight(client, 0);
            long first = client.inFlightBytes();
            writer.write(1L, "second");
            awaitInFlight(client, first); // it is on its way before the first is answered
            sidecar.release();
            writer.flush();
        }
        assertThat(arrived).containsExactly(1L, 2L, 1L, 2L);
        assertThat(contents()).isEqualTo(Map.of(1L, "second"));
        assertThat(sidecar.violations()).isEmpty();
    }

    @Test
    void testAnInsertComesAgainToo() {
        AtomicBoolean refusedOne = new AtomicBoolean();
        sidecar.refusals(
                write ->
                        refusedOne.compareAndSet(false, true)
                                ? Optional.of(BUSY)
                                : Optional.empty());
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            assertThat(writer.insert(1L, "a").join()).isGreaterThan(Lsn.MIN);
        }
        assertThat(sidecar.operations()).isEqualTo(1);
    }

    /**
     * A shard that refuses a share of the batches. After a refused one it refuses all later ones of
     * that writer until the batch comes again. Guarded by itself.
     */
    private static final class OrderKeeper implements Function<Write, Optional<ErrorReply>> {
        private final Random random;
        private int oneIn;
        private final Map<Writer, TreeSet<Long>> owed = new HashMap<>();
        private final Map<Writer, Set<Long>> taken = new HashMap<>();
        private int refused;

        private record Writer(UUID id, ShardId shard) {}

        OrderKeeper(Random random, int oneIn) {
            this.random = random;
            this.oneIn = oneIn;
        }

        @Override
        public synchronized Optional<ErrorReply> apply(Write write) {
            Writer writer = new Writer(write.writerId(), write.shard());
            TreeSet<Long> owedHere = owed.computeIfAbsent(writer, ignored -> new TreeSet<>());
            Set<Long> takenHere = taken.computeIfAbsent(writer, ignored -> new HashSet<>());
            long sequence = write.sequence();
            if (takenHere.contains(sequence)) {
                return Optional.empty();
            }
            boolean outOfTurn = !owedHere.isEmpty() && owedHere.first() < sequence;
            if (outOfTurn || (oneIn > 0 && random.nextInt(oneIn) == 0)) {
                owedHere.add(sequence);
                refused++;
                notifyAll();
                return Optional.of(BUSY);
            }
            owedHere.remove(sequence);
            takenHere.add(sequence);
            return Optional.empty();
        }

        synchronized void endRefusals() {
            oneIn = 0;
        }

        synchronized int refused() {
            return refused;
        }

        synchronized void awaitRefused(int count) {
            while (refused < count) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private static void awaitInFlight(SteleClient client, long moreThan) {
        while (client.inFlightBytes() <= moreThan) {
            Thread.onSpinWait();
        }
    }
}
