package io.stele.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.TestingSidecar.Fault;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.Rows;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class TestTableWriter extends BaseClientTest {
    private static final ClientSettings SETTINGS = ClientSettings.DEFAULT.withMaxBatchRows(7);

    @Test
    void testRowsArriveOnceAndInOrderWhateverBreaks() throws Exception {
        for (long seed = 1; seed <= 8; seed++) {
            Random random = new Random(seed);
            Random faulty = new Random(seed + 1000);
            AtomicInteger left = new AtomicInteger(40);
            sidecar.faults(
                    write -> {
                        synchronized (faulty) {
                            if (faulty.nextInt(8) != 0 || left.decrementAndGet() < 0) {
                                return Fault.NONE;
                            }
                            return switch (faulty.nextInt(3)) {
                                case 0 -> Fault.BREAK_BEFORE;
                                case 1 -> Fault.BREAK_AFTER;
                                default -> Fault.BABBLE;
                            };
                        }
                    });
            long before = sidecar.operations();
            TreeMap<Long, String> expected = new TreeMap<>();
            int count = 2_000;
            try (SteleClient client = client(SETTINGS);
                    TableWriter writer = client.writer("s", "t")) {
                for (int i = 0; i < count; i++) {
                    long key = random.nextInt(100);
                    if (random.nextInt(5) == 0) {
                        writer.delete(key);
                        expected.remove(key);
                    } else {
                        writer.write(key, "value " + i);
                        expected.put(key, "value " + i);
                    }
                }
                assertThat(writer.flush()).isEqualTo(writer.lastLsn()).isEqualTo(client.lastLsn());
                assertThat(client.inFlightBytes()).isZero();
            }
            assertThat(sidecar.violations()).as("seed %s", seed).isEmpty();
            assertThat(sidecar.operations() - before).as("seed %s", seed).isEqualTo(count);
            assertThat(contents()).as("seed %s", seed).isEqualTo(expected);
            sidecar.faults(write -> Fault.NONE);
            try (SteleClient client = client(SETTINGS);
                    TableWriter writer = client.writer("s", "t")) {
                expected.keySet().forEach(writer::delete);
            }
            assertThat(contents()).isEmpty();
        }
        assertThat(sidecar.duplicates()).isPositive();
        assertThat(sidecar.connections()).isGreaterThan(50);
    }

    @Test
    void testWritersOfManyThreadsShareAConnection() throws Exception {
        int threads = 6;
        int rows = 3_000;
        try (SteleClient client = client(ClientSettings.DEFAULT)) {
            TableWriter shared = client.writer("s", "t");
            List<Thread> running = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                TableWriter writer = t % 2 == 0 ? shared : client.writer("s", "t");
                Thread started =
                        new Thread(
                                () -> {
                                    for (long i = 0; i < rows; i++) {
                                        writer.write(thread * 1_000_000L + i, "x");
                                    }
                                    writer.flush();
                                });
                started.start();
                running.add(started);
            }
            for (Thread thread : running) {
                thread.join();
            }
        }
        assertThat(sidecar.rows()).hasSize(threads * rows);
        assertThat(sidecar.operations()).isEqualTo((long) threads * rows);
        assertThat(sidecar.connections()).isEqualTo(1);
        assertThat(sidecar.violations()).isEmpty();
    }

    @Test
    void testALoneRowDoesNotWaitForCompany() throws Exception {
        try (SteleClient client = client(ClientSettings.DEFAULT.withLinger(Duration.ofHours(1)));
                TableWriter writer = client.writer("s", "t")) {
            Lsn first = writer.upsert(1L, "a").get();
            Lsn second = writer.upsert(1L, "b").get();
            assertThat(second).isGreaterThan(first);
            assertThat(writer.lastLsn()).isEqualTo(second);
        }
    }

    @Test
    void testRowsHandedOverTogetherLeaveInFullBatches() {
        Map<ShardId, List<Integer>> batches = new HashMap<>();
        sidecar.faults(
                write -> {
                    int rows =
                            new WriteBatchReader(
                                            write.payload(),
                                            write.batchOffset(),
                                            write.batchLength())
                                    .operationCount();
                    synchronized (batches) {
                        batches.computeIfAbsent(write.shard(), shard -> new ArrayList<>())
                                .add(rows);
                    }
                    return Fault.NONE;
                });
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            List<Object[]> rows = new ArrayList<>();
            for (long key = 0; key < 100; key++) {
                rows.add(new Object[] {key, "x"});
            }
            writer.writeBatch(rows).join();
            synchronized (batches) {
                assertThat(batches).isNotEmpty();
                for (List<Integer> sent : batches.values()) {
                    assertThat(sent.subList(0, sent.size() - 1)).containsOnly(7);
                }
            }
            // A wrong row among them: those before it leave all the same, and so does what follows.
            assertThatThrownBy(
                            () ->
                                    writer.writeBatch(
                                            List.of(
                                                    new Object[] {100L, "x"},
                                                    new Object[] {"no key", "x"})))
                    .isInstanceOf(SteleException.class);
            writer.upsert(101L, "x").join();
        }
        assertThat(sidecar.rows()).hasSize(102);
    }

    @Test
    void testBatchesGrowWhileTheSidecarIsBusy() {
        sidecar.hold();
        try (SteleClient client = client(ClientSettings.DEFAULT);
                TableWriter writer = client.writer("s", "t")) {
            for (long i = 0; i < 10_000; i++) {
                writer.write(i, "x");
            }
            sidecar.release();
            writer.flush();
        }
        assertThat(sidecar.rows()).hasSize(10_000);
        assertThat(sidecar.batchSizes().size()).isLessThan(1_000);
    }

    @Test
    void testNoMoreBatchesAreUnansweredThanTheShardRemembers() throws Exception {
        sidecar.setMaxUnansweredBatches(3);
        Map<ShardId, Integer> unanswered = new ConcurrentHashMap<>();
        sidecar.faults(
                write -> {
                    unanswered.merge(write.shard(), 1, Integer::sum);
                    return Fault.SWALLOW;
                });
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            for (long i = 0; i < 100; i++) {
                writer.insert(i, "x"); // a batch each
            }
            SteleTable table = client.table("s", "t");
            while (unanswered.values().stream().mapToInt(count -> count).sum()
                    < 3 * writer.schema().shardCount()) {
                table.get(1L); // comes behind what the sender could send before
            }
            for (int i = 0; i < 5; i++) {
                table.get(1L);
            }
            assertThat(unanswered.values()).allMatch(count -> count == 3);
            sidecar.faults(write -> Fault.NONE);
            sidecar.breakConnections();
            writer.flush();
        }
        assertThat(sidecar.operations()).isEqualTo(100);
        assertThat(sidecar.violations()).isEmpty();
    }

    @Test
    void testWritersWaitWhileTooMuchIsUnanswered() throws Exception {
        sidecar.hold();
        int maxBytes = 50_000;
        ClientSettings settings =
                ClientSettings.DEFAULT.withMaxInFlightBytes(maxBytes).withMaxBatchBytes(1_000);
        try (SteleClient client = client(settings)) {
            TableWriter writer = client.writer("s", "t");
            AtomicInteger written = new AtomicInteger();
            Thread thread =
                    new Thread(
                            () -> {
                                for (long i = 0; i < 10_000; i++) {
                                    writer.write(i, "some text of some length");
                                    written.incrementAndGet();
                                }
                                writer.flush();
                            });
            thread.start();
            awaitTrue(
                    () ->
                            client.inFlightBytes() >= maxBytes
                                    && thread.getState() == Thread.State.WAITING);
            assertThat(client.inFlightBytes()).isLessThan(maxBytes + 5 * 1_000);
            assertThat(written.get()).isLessThan(5_000);
            sidecar.release();
            thread.join();
            assertThat(written.get()).isEqualTo(10_000);
            assertThat(client.inFlightBytes()).isZero();
        }
        assertThat(sidecar.rows()).hasSize(10_000);
    }

    @Test
    void testASidecarThatStaysAwayFailsWithTheNumberOfRows() throws Exception {
        ClientSettings settings = SETTINGS.withUnavailableTimeout(Duration.ofSeconds(3));
        try (SteleClient client = client(settings);
                TableWriter writer = client.writer("s", "t")) {
            writer.write(1L, "a");
            writer.flush();
            sidecar.stop();
            List<CompletableFuture<Lsn>> futures = new ArrayList<>();
            for (long i = 0; i < 20; i++) {
                futures.add(writer.upsert(i, "b"));
            }
            assertThatThrownBy(writer::flush)
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("127.0.0.1:" + sidecar.port())
                    .hasMessageContaining("20 rows are unacknowledged")
                    .hasMessageContaining("last error");
            for (CompletableFuture<Lsn> future : futures) {
                assertThat(future).isCompletedExceptionally();
            }
            assertThat(client.inFlightBytes()).isZero();
            sidecar.restart();
            writer.write(5L, "c");
            writer.flush();
            assertThat(contents()).containsEntry(5L, "c");
        }
    }

    /** Whether its batch was sent before the sidecar went is a matter of moments. */
    @Test
    void testASidecarThatGoesWithABatchIsUnavailableToo() {
        sidecar.faults(
                write -> {
                    try {
                        sidecar.stop();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    return Fault.BREAK_AFTER;
                });
        ClientSettings settings = SETTINGS.withUnavailableTimeout(Duration.ofMillis(300));
        try (SteleClient client = client(settings)) {
            TableWriter writer = client.writer("s", "t");
            writer.upsert(1L, "a");
            assertThatThrownBy(writer::flush)
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("1 rows are unacknowledged");
            assertThat(contents()).containsEntry(1L, "a");
        }
    }

    @Test
    void testASidecarThatComesBackInTimeGetsEverything() throws Exception {
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            writer.write(0L, "first");
            writer.flush();
            sidecar.stop();
            for (long i = 0; i < 100; i++) {
                writer.write(i, "later");
            }
            sidecar.restart();
            writer.flush();
        }
        assertThat(sidecar.rows()).hasSize(100);
        assertThat(sidecar.operations()).isEqualTo(101);
    }

    @Test
    void testASilentSidecarIsTakenForDead() throws Exception {
        AtomicInteger writes = new AtomicInteger();
        sidecar.faults(write -> writes.getAndIncrement() == 0 ? Fault.SWALLOW : Fault.NONE);
        try (SteleClient client = client(SETTINGS.withAnswerTimeout(Duration.ofMillis(100)));
                TableWriter writer = client.writer("s", "t")) {
            writer.upsert(1L, "a").get();
        }
        // A repetition may be answered too late as well
        assertThat(sidecar.duplicates()).isPositive();
        assertThat(sidecar.operations()).isEqualTo(1);
    }

    /** A machine that has no thread left for a moment, when the sender wants one for replies. */
    @Test
    void testAnErrorOfTheSenderIsAsALostSocket() throws Exception {
        AtomicInteger made = new AtomicInteger();
        ThreadFactory threads =
                task ->
                        new Thread(task) {
                            private final int number = made.incrementAndGet();

                            @Override
                            public void start() {
                                if (number == 2) {
                                    throw new OutOfMemoryError("unable to create native thread");
                                }
                                super.start();
                            }
                        };
        try (SteleClient client = builder(sidecar.port(), SETTINGS).threads(threads).build();
                TableWriter writer = client.writer("s", "t")) {
            writer.upsert(1L, "a").get();
        }
        assertThat(made).hasValueGreaterThan(2);
        assertThat(sidecar.operations()).isEqualTo(1);
    }

    @Test
    void testAnErrorOfTheReaderIsAsALostSocket() throws Exception {
        AtomicInteger writes = new AtomicInteger();
        sidecar.faults(write -> writes.getAndIncrement() == 0 ? Fault.SWALLOW : Fault.NONE);
        List<Thread> made = new CopyOnWriteArrayList<>();
        ThreadFactory threads =
                task -> {
                    Thread thread = new Thread(task);
                    made.add(thread);
                    return thread;
                };
        AtomicBoolean failed = new AtomicBoolean();
        LongSupplier ticker =
                () -> {
                    boolean isReader = made.size() > 1 && Thread.currentThread() == made.get(1);
                    if (isReader && !failed.getAndSet(true)) {
                        throw new StackOverflowError("of the test");
                    }
                    return System.nanoTime();
                };
        ClientSettings impatient = SETTINGS.withAnswerTimeout(Duration.ofMillis(100));
        try (SteleClient client =
                        builder(sidecar.port(), impatient).threads(threads).ticker(ticker).build();
                TableWriter writer = client.writer("s", "t")) {
            writer.upsert(1L, "a").get(120, TimeUnit.SECONDS);
        }
        assertThat(failed).isTrue();
        assertThat(sidecar.operations()).isEqualTo(1);
    }

    @Test
    void testATruncatedTableTakesTheRowsOnTheirWay() {
        sidecar.hold();
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            for (long i = 0; i < 500; i++) {
                writer.write(i % 50, "value " + i);
            }
            sidecar.table(TestingTables.keyed(2, 1));
            sidecar.release();
            writer.flush();
            assertThat(writer.schema().id().value()).isEqualTo(2);
        }
        assertThat(sidecar.operations()).isEqualTo(500);
        TreeMap<Long, String> contents = contents();
        assertThat(contents).hasSize(50);
        contents.forEach((key, value) -> assertThat(value).isEqualTo("value " + (450 + key)));
        assertThat(sidecar.violations()).isEmpty();
    }

    @Test
    void testRowsAreEncodedAnewForANewColumn() throws Exception {
        sidecar.hold();
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            List<CompletableFuture<Lsn>> futures = new ArrayList<>();
            for (long i = 0; i < 50; i++) {
                futures.add(writer.upsert(i, "v"));
            }
            futures.add(writer.delete(0L));
            sidecar.table(TestingTables.keyedWithNote(1, 2));
            sidecar.release();
            for (CompletableFuture<Lsn> future : futures) {
                assertThat(future.get()).isGreaterThan(Lsn.MIN);
            }
            writer.write(7L, "w", "note");
            writer.flush();
        }
        assertThat(sidecar.rows()).hasSize(49);
        assertThat(sidecar.rows().values())
                .allSatisfy(
                        row ->
                                TestingTables.layout(TestingTables.keyedWithNote(1, 2))
                                        .validate(row, 0, row.length));
    }

    @Test
    void testATableOfOtherColumnsIsNotTakenForTheOldOne() {
        sidecar.hold();
        try (SteleClient client = client(SETTINGS)) {
            TableWriter writer = client.writer("s", "t");
            CompletableFuture<Lsn> future = writer.upsert(1L, "a");
            sidecar.table(TestingTables.keyedWithNote(2, 1));
            sidecar.release();
            assertThatThrownBy(future::get)
                    .hasMessageContaining("was replaced by one with other columns");
            assertThatThrownBy(writer::flush)
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_TABLE));
            assertThat(client.inFlightBytes()).isZero();
        }
        assertThat(sidecar.operations()).isZero();
    }

    @Test
    void testASidecarThatAlwaysAnswersStaleFailsTheRows() {
        sidecar.refusals(write -> Optional.of(new ErrorReply(ErrorCode.STALE_TABLE, "stale")));
        try (SteleClient client = client(SETTINGS)) {
            TableWriter writer = client.writer("s", "t");
            assertThatThrownBy(() -> writer.upsert(1L, "a").get())
                    .hasMessageContaining("although it is the one");
            sidecar.refusals(write -> Optional.empty());
            assertThatThrownBy(writer::flush).isInstanceOf(SteleException.class);
            writer.write(1L, "b");
            writer.flush();
        }
        assertThat(contents()).containsOnlyKeys(1L);
    }

    @Test
    void testBatchesThatAreCollectedAsStaleFailWhenTheClientCloses() throws Exception {
        boolean isReached = false;
        for (int attempt = 0; !isReached && attempt < 100; attempt++) {
            isReached = closeWhileStaleBatchesAreCollected();
        }
        assertThat(isReached).isTrue();
    }

    /** Returns whether the second of two batches was sent before the first one was refused. */
    private boolean closeWhileStaleBatchesAreCollected() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        AtomicInteger writes = new AtomicInteger();
        sidecar.refusals(
                write -> {
                    if (writes.getAndIncrement() > 0) {
                        awaitTrue(() -> closed.getCount() == 0); // unanswered until then
                    }
                    return Optional.of(new ErrorReply(ErrorCode.STALE_TABLE, "stale"));
                });
        sidecar.hold();
        CompletableFuture<Lsn> first;
        CompletableFuture<Lsn> second;
        boolean isReached;
        try (SteleClient client = client(SETTINGS)) {
            TableWriter writer = client.writer("s", "t");
            long describes = sidecar.describes();
            first = writer.insert(1L, "a");
            second = writer.insert(2L, "b");
            sidecar.release();
            awaitTrue(() -> writes.get() > 1);
            isReached = sidecar.describes() == describes; // else the first one was sent again
            if (isReached) {
                awaitTrue(writer::isPaused);
            }
        } finally {
            closed.countDown();
        }
        assertThatThrownBy(() -> first.get(120, TimeUnit.SECONDS))
                .hasCauseInstanceOf(SteleException.class);
        assertThatThrownBy(() -> second.get(120, TimeUnit.SECONDS))
                .hasCauseInstanceOf(SteleException.class);
        return isReached;
    }

    @Test
    void testARefusedBatchFailsAloneAndIsReported() throws Exception {
        AtomicInteger writes = new AtomicInteger();
        sidecar.refusals(
                write ->
                        writes.getAndIncrement() == 0
                                ? Optional.of(new ErrorReply(ErrorCode.INVALID_ARGUMENT, "no"))
                                : Optional.empty());
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            CompletableFuture<Lsn> refused = writer.upsert(1L, "a");
            assertThatThrownBy(refused::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseInstanceOf(SteleException.class);
            assertThatThrownBy(() -> writer.write(2L, "b")).hasMessage("no");
            assertThatThrownBy(writer::flush).hasMessage("no");
            writer.write(2L, "b");
            writer.flush();
        }
        assertThat(contents()).containsOnlyKeys(2L);
    }

    @Test
    void testAppendsGoToAllShards() throws Exception {
        sidecar.table(TestingTables.unkeyed(3));
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            List<Object[]> rows = new ArrayList<>();
            for (long i = 0; i < 200; i++) {
                rows.add(new Object[] {i, "x"});
            }
            assertThat(writer.writeBatch(rows).get()).isGreaterThan(Lsn.MIN);
            assertThatThrownBy(() -> writer.upsert(1L, "a")).hasMessageContaining("APPEND");
            assertThatThrownBy(() -> writer.delete(1L)).hasMessageContaining("primary key");
        }
        assertThat(sidecar.appended()).hasSize(200);
    }

    @Test
    void testWrongRowsAreRefusedAtOnceAndLeaveNoTrace() {
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            assertCode(ErrorCode.TYPE_MISMATCH, "'id'", () -> writer.write("one", "a"));
            assertCode(ErrorCode.TYPE_MISMATCH, "'name'", () -> writer.write(1L, 2));
            assertCode(ErrorCode.INVALID_ARGUMENT, "2 values", () -> writer.write(1L));
            assertCode(ErrorCode.NULL_KEY, "id", () -> writer.write(null, "a"));
            assertCode(ErrorCode.INVALID_ARGUMENT, "1 values", () -> writer.delete(1L, 2L));
            writer.write(1L, null);
            writer.flush();
        }
        assertThat(sidecar.operations()).isEqualTo(1);
    }

    @Test
    void testEncodedRowsAreTakenAsTheyAre() {
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            byte[] row = Rows.toBytes(writer.layout(), 9L, "nine");
            writer.write(row, 0, row.length);
        }
        assertThat(contents()).containsEntry(9L, "nine");
    }

    @Test
    void testNobodyElseCompletesAFuture() throws Exception {
        sidecar.hold();
        try (SteleClient client = client(SETTINGS);
                TableWriter writer = client.writer("s", "t")) {
            CompletableFuture<Lsn> future = writer.upsert(1L, "a");
            assertThatThrownBy(() -> future.complete(Lsn.MAX))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> future.obtrudeValue(Lsn.MAX))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThat(future.cancel(true)).isFalse();
            assertThat(future.copy().complete(Lsn.MAX)).isTrue();
            sidecar.release();
            assertThat(future.get()).isEqualTo(new Lsn(1));
        }
    }

    @Test
    void testAClosedClientFailsWhatIsLeft() throws Exception {
        sidecar.hold();
        SteleClient client = client(SETTINGS);
        TableWriter writer = client.writer("s", "t");
        CompletableFuture<Lsn> sent = writer.upsert(1L, "a");
        client.close();
        assertThatThrownBy(() -> sent.get(120, TimeUnit.SECONDS)).hasMessageContaining("closed");
        CompletableFuture<Lsn> later = writer.upsert(2L, "a");
        assertThatThrownBy(() -> later.get(120, TimeUnit.SECONDS)).hasMessageContaining("closed");
        assertThatThrownBy(() -> client.writer("s", "t")).hasMessageContaining("closed");
        assertThatThrownBy(writer::close).hasMessageContaining("closed");
    }

    private static void awaitTrue(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
