package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.SMALL;
import static io.stele.engine.wal.LogFixture.read;
import static io.stele.engine.wal.LogFixture.recover;
import static io.stele.engine.wal.LogFixture.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.wal.LogFixture.Read;
import io.stele.engine.wal.LogFixture.Remembering;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log with its thread, under many writers. */
@Timeout(300)
class TestNodeLogThreads {
    /** Log files whose syncs wait for permits. */
    private static final class GatedFiles extends ForwardingLogFiles {
        private final Semaphore syncs;

        GatedFiles(LogFiles files, Semaphore syncs) {
            super(files);
            this.syncs = syncs;
        }

        @Override
        public Writer create(long segment) throws IOException {
            return new ForwardingWriter(super.create(segment)) {
                @Override
                public void sync() throws IOException {
                    syncs.acquireUninterruptibly();
                    super.sync();
                }
            };
        }
    }

    private static NodeLog start(LogFiles files, LogListener listener) throws IOException {
        return NodeLog.start(recover(files), listener, Thread.ofPlatform().name("log").factory());
    }

    @Test
    void waitsForTheSyncAndGathersWhatComesMeanwhile() throws Exception {
        Semaphore syncs = new Semaphore(0);
        NodeLog log = start(new GatedFiles(LogFixture.files(), syncs), new Remembering());
        CompletableFuture<LogPosition> first = write(log, A, "first");
        // The first group holds exactly the first record once it waits for its sync.
        await(syncs::hasQueuedThreads);
        List<CompletableFuture<LogPosition>> others = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            others.add(write(log, A, "other"));
        }
        assertThat(first).isNotDone();
        syncs.release();
        first.join();
        assertThat(others).noneMatch(CompletableFuture::isDone);
        syncs.release();
        others.forEach(CompletableFuture::join);
        assertThat(log.status().groups()).isEqualTo(2);
        log.close();
    }

    /** The first record goes at once; then records wait an hour, a full group, or the end. */
    @Test
    void aPauseEndsWhenAGroupIsFull() throws Exception {
        LogOptions options = new LogOptions(2_000, 500, 10_000, 5_000, Duration.ofHours(1));
        NodeLog log =
                NodeLog.start(
                        RecoveredLog.recover(
                                LogFixture.files(),
                                options,
                                LogFixture.clock(),
                                (shard, lsn, type, payload) -> {}),
                        new Remembering(),
                        Thread.ofPlatform().name("log").factory());
        write(log, A, "first").join();
        List<CompletableFuture<LogPosition>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(write(log, A, "x".repeat(50)));
        }
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        waiting.add(write(log, A, "x".repeat(500)));
        waiting.forEach(CompletableFuture::join);
        assertThat(log.status().groups()).isEqualTo(2);
        waiting.add(write(log, A, "last"));
        log.close();
        waiting.forEach(CompletableFuture::join);
        assertThat(log.status().groups()).isEqualTo(3);
    }

    @RepeatedTest(20)
    void appendersWaitWhileTheQueueIsFull() throws Exception {
        Semaphore syncs = new Semaphore(0);
        NodeLog log = start(new GatedFiles(LogFixture.files(), syncs), new Remembering());
        AtomicInteger accepted = new AtomicInteger();
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (int i = 0; i < 100; i++) {
                                        write(log, A, "x".repeat(1_000));
                                        accepted.incrementAndGet();
                                    }
                                });
        // One record is in flight and the queue has no room for another.
        await(
                () ->
                        syncs.hasQueuedThreads()
                                && log.status().queuedBytes() > 9_000
                                && writer.getState() == Thread.State.WAITING);
        // One group in flight, and a queue of at most 10,000 bytes.
        assertThat(accepted.get()).isBetween(9, 10);
        assertThat(log.status().queuedBytes()).isBetween(9_000L, SMALL.queueBytes());
        syncs.release(1_000);
        writer.join();
        log.close();
        assertThat(log.status().records()).isEqualTo(100);
    }

    @Test
    void heldRecordsDoNotKeepOtherShardsOut() throws Exception {
        NodeLog log = start(LogFixture.files(), new Remembering());
        LogHold hold = log.hold(Set.of(A)).join();
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (int i = 0; i < 30; i++) {
                                        write(log, A, "x".repeat(1_000));
                                    }
                                });
        await(() -> log.status().heldBytes() > 9_000 && writer.getState() == Thread.State.WAITING);
        for (int i = 0; i < 30; i++) {
            write(log, LogFixture.B, "x".repeat(1_000)).join();
        }
        hold.append(A, RecordType.OUTCOME, LogFixture.text("outcome"), null).join();
        hold.release();
        writer.join();
        log.close();
        assertThat(log.status().records()).isEqualTo(61);
    }

    @RepeatedTest(20)
    void interruptedAppenderGivesUp() throws Exception {
        Semaphore syncs = new Semaphore(0);
        NodeLog log = start(new GatedFiles(LogFixture.files(), syncs), new Remembering());
        List<CompletableFuture<LogPosition>> futures = new ArrayList<>();
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!Thread.currentThread().isInterrupted()) {
                                        futures.add(write(log, A, "x".repeat(1_000)));
                                    }
                                });
        // One record is in flight and the queue has no room for another.
        await(
                () ->
                        syncs.hasQueuedThreads()
                                && log.status().queuedBytes() > 9_000
                                && writer.getState() == Thread.State.WAITING);
        writer.interrupt();
        writer.join();
        assertThat(futures.getLast()).isCompletedExceptionally();
        syncs.release(1_000);
        log.close();
        assertThat(log.status().records()).isEqualTo(futures.size() - 1);
    }

    @Test
    void manyWritersAndHoldsOnLocalFiles(@TempDir Path directory) throws Exception {
        Map<ShardId, List<Read>> acknowledged = new ConcurrentHashMap<>();
        Remembering listener = new Remembering();
        List<ShardId> shards = List.of(new ShardId(0, 0), new ShardId(0, 1), new ShardId(0, 2));
        try (LocalLogFiles files = LocalLogFiles.open(directory)) {
            NodeLog log = start(files, listener);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String name = "writer " + i + " record ";
                ShardId shard = shards.get(i % 3);
                threads.add(
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            for (int record = 0; record < 300; record++) {
                                                String text = name + record;
                                                write(log, shard, text)
                                                        .thenAccept(
                                                                position ->
                                                                        acknowledged
                                                                                .computeIfAbsent(
                                                                                        shard,
                                                                                        ignored ->
                                                                                                Collections
                                                                                                        .synchronizedList(
                                                                                                                new ArrayList<>()))
                                                                                .add(
                                                                                        new Read(
                                                                                                shard,
                                                                                                position
                                                                                                        .lsn(),
                                                                                                RecordType
                                                                                                        .WRITE,
                                                                                                text)));
                                            }
                                        }));
            }
            for (int i = 0; i < 2; i++) {
                threads.add(
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            for (int transaction = 0;
                                                    transaction < 100;
                                                    transaction++) {
                                                LogHold hold = log.hold(shards).join();
                                                assertThat(
                                                                log.snapshotLsn(shards)
                                                                        .lastAssigned()
                                                                        .values())
                                                        .containsOnly(hold.lsn());
                                                hold.release();
                                            }
                                        }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            log.close();

            List<Read> found = read(files);
            assertThat(found).hasSize(8 * 300 + 2 * 100 * 3);
            for (ShardId shard : shards) {
                List<Read> ofShard =
                        found.stream().filter(record -> record.shard().equals(shard)).toList();
                assertThat(ofShard).extracting(Read::lsn).isSorted().doesNotHaveDuplicates();
                assertThat(listener.of(shard))
                        .extracting(DurableRecord::lsn)
                        .isEqualTo(lsns(ofShard));
                // What is durable already when a writer asks is noted by that writer
                assertThat(acknowledged.get(shard))
                        .containsExactlyInAnyOrderElementsOf(
                                ofShard.stream()
                                        .filter(record -> record.type() == RecordType.WRITE)
                                        .toList());
            }
            for (int i = 0; i < 8; i++) {
                String name = "writer " + i + " record ";
                assertThat(found.stream().map(Read::text).filter(text -> text.startsWith(name)))
                        .hasSize(300)
                        .first()
                        .isEqualTo(name + 0);
            }
        }
    }

    /**
     * Waits for a condition that another thread brings about; the timeout of the test interrupts
     * it.
     */
    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Thread.onSpinWait();
        }
    }

    private static List<Lsn> lsns(List<Read> records) {
        return records.stream().map(Read::lsn).toList();
    }
}
