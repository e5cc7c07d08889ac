package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.B;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits for room in the queue of the log gets it in turn, large records as well; readers. */
final class TestAppendQueue {
    private static final int LIMIT_BYTES = 13_000;
    private static final Lsn NONE = Lsn.MIN;

    private final HybridClock clock = new HybridClock(() -> 1_000);
    private final AppendQueue queue = new AppendQueue(clock, LIMIT_BYTES, Map.of());
    private final List<Thread> threads = new ArrayList<>();

    @AfterEach
    void stop() throws InterruptedException {
        for (Thread thread : threads) {
            thread.interrupt();
            thread.join();
        }
    }

    @Test
    @Timeout(300)
    void aLargeRecordGetsItsTurnBesideSmallOnes() throws InterruptedException {
        List<PendingRecord> first = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            first.add(record(1_000));
            assertThat(queue.offer(first.get(i))).isTrue();
        }
        PendingRecord large = record(9_000);
        addWaiting(large);
        PendingRecord small = record(500);
        assertThat(queue.offer(small)).as("there is room, which the large one waits for").isFalse();
        PendingRecord behind = record(500);
        addWaiting(behind);
        List<PendingRecord> taken = new ArrayList<>();
        while (!taken.contains(behind)) {
            queue.take(1_000, Long.MAX_VALUE, Long.MAX_VALUE).ifPresent(taken::addAll);
            assertThat(queue.offer(record(100)) && !taken.contains(large) && isWaiting(0))
                    .as("a small one overtook the large one")
                    .isFalse();
        }
        assertThat(taken.indexOf(large)).isEqualTo(9);
    }

    @Test
    @Timeout(300)
    void whoWaitsForAHoldIsInNobodysWay() throws InterruptedException {
        queue.requestHold(new AppendQueue.HoldRequest(Set.of(B), new CompletableFuture<>()));
        assertThat(queue.offer(record(B, 9_000))).isTrue();
        addWaiting(record(B, 9_000));
        assertThat(queue.offer(record(5_000))).isTrue();
    }

    /** Readers see what is durable, and do not wait for what is being written. */
    @Test
    void readersComeBeforeTheGroupThatIsBeingWritten() {
        List<PendingRecord> first = List.of(record(A, 1), record(B, 1));
        first.forEach(queue::offer);
        assertThat(take()).isEqualTo(first);
        assertThat(queue.readLsn(Set.of(A, B)).lastAssigned()).isEqualTo(Map.of(A, NONE, B, NONE));
        queue.written(first);
        SnapshotLsn idle = queue.readLsn(Set.of(A, B));
        assertThat(idle.lsn()).isGreaterThan(lsn(first.get(1)));
        assertThat(idle.lastAssigned())
                .isEqualTo(Map.of(A, lsn(first.get(0)), B, lsn(first.get(1))));

        List<PendingRecord> second = List.of(record(A, 1), record(A, 1));
        second.forEach(queue::offer);
        assertThat(take()).isEqualTo(second);
        queue.offer(record(B, 1)); // not taken
        SnapshotLsn read = queue.readLsn(Set.of(A, B));
        assertThat(read.lsn()).isEqualTo(new Lsn(lsn(second.get(0)).value() - 1));
        assertThat(read.lsn()).isGreaterThanOrEqualTo(idle.lsn());
        assertThat(read.lastAssigned()).isEqualTo(idle.lastAssigned());
        assertThat(queue.readLsn(Set.of(A)).lsn()).as("again").isEqualTo(read.lsn());
    }

    /** Such as that of a table that was created meanwhile, which a reader must find. */
    @Test
    void readersComeAfterEverythingThatHasAnLsnElsewhere() {
        List<PendingRecord> group = List.of(record(A, 1));
        group.forEach(queue::offer);
        assertThat(take()).isEqualTo(group);
        Lsn ofCatalog = clock.next();
        SnapshotLsn read = queue.readLsn(Set.of(A));
        assertThat(read.lsn()).isGreaterThan(ofCatalog);
        assertThat(read.lastAssigned()).isEqualTo(Map.of(A, lsn(group.get(0))));
    }

    /** A table that is created between two records of a group comes before or after the group. */
    @Test
    @Timeout(300)
    void nobodyTakesAnLsnInsideOfAGroup() throws Exception {
        for (int round = 0; round < 200; round++) {
            List<PendingRecord> group = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                group.add(record(A, 1));
                queue.offer(group.get(i));
            }
            CompletableFuture<Lsn> other = new CompletableFuture<>();
            Thread thread = Thread.ofPlatform().start(() -> other.complete(clock.next()));
            assertThat(take()).isEqualTo(group);
            thread.join();
            assertThat(other.join().value())
                    .matches(lsn -> lsn < group.getFirst().lsn() || lsn > group.getLast().lsn());
            if (other.join().value() > group.getLast().lsn()) {
                assertThat(queue.readLsn(Set.of(A)).lsn()).isGreaterThan(other.join());
            }
            queue.written(group);
        }
    }

    /** Its LSN may be below that of records that are durable. */
    @Test
    void readersWaitForWhatAHoldDecides() {
        CompletableFuture<AppendQueue.Grant> hold = new CompletableFuture<>();
        queue.requestHold(new AppendQueue.HoldRequest(Set.of(B), hold));
        List<PendingRecord> group = List.of(record(A, 1));
        group.forEach(queue::offer);
        assertThat(take()).isEqualTo(group);
        SnapshotLsn held = queue.readLsn(Set.of(A, B));
        assertThat(held.lastAssigned())
                .isEqualTo(Map.of(A, lsn(group.get(0)), B, hold.join().lsn()));
        queue.written(group);
        PendingRecord outcome =
                PendingRecord.createHeld(
                        B, RecordType.OUTCOME, List.of(ByteBuffer.allocate(1)), null);
        queue.addHeld(outcome, hold.join().lsn());
        queue.release(Set.of(B), hold.join().lsn(), List.of());
        PendingRecord behind = record(A, 1);
        queue.offer(behind);
        assertThat(take()).isEqualTo(List.of(outcome, behind));
        SnapshotLsn read = queue.readLsn(Set.of(A, B));
        assertThat(read.lsn()).isGreaterThan(lsn(behind));
        assertThat(read.lastAssigned()).isEqualTo(Map.of(A, lsn(behind), B, hold.join().lsn()));
    }

    private List<PendingRecord> take() {
        return queue.take(1_000, Long.MAX_VALUE, Long.MAX_VALUE).orElseThrow();
    }

    private static Lsn lsn(PendingRecord record) {
        return new Lsn(record.lsn());
    }

    /** Adds a record in a thread of its own, which waits when this returns. */
    private void addWaiting(PendingRecord record) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                queue.add(record);
                            } catch (InterruptedException ended) {
                                Thread.currentThread().interrupt();
                            }
                        });
        threads.add(thread);
        thread.start();
        while (!isWaiting(threads.size() - 1)) {
            Thread.onSpinWait();
        }
    }

    private boolean isWaiting(int thread) {
        return threads.get(thread).getState() == Thread.State.WAITING;
    }

    private static PendingRecord record(int bytes) {
        return record(A, bytes);
    }

    private static PendingRecord record(ShardId shard, int bytes) {
        return PendingRecord.create(
                shard,
                RecordType.WRITE,
                List.of(ByteBuffer.allocate(bytes)),
                null,
                LogOptions.DEFAULT);
    }
}
