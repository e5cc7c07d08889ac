package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.B;
import static org.assertj.core.api.Assertions.assertThat;

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

/** Who waits for room in the queue of the log gets it in turn, large records as well. */
final class TestAppendQueue {
    private static final int LIMIT_BYTES = 13_000;

    private final AppendQueue queue =
            new AppendQueue(new HybridClock(() -> 1_000), LIMIT_BYTES, Map.of());
    private final List<Thread> threads = new ArrayList<>();

    @AfterEach
    void stop() throws InterruptedException {
        for (Thread thread : threads) {
            thread.interrupt();
            thread.join();
        }
    }

    @Test
    @Timeout(60)
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
    @Timeout(60)
    void whoWaitsForAHoldIsInNobodysWay() throws InterruptedException {
        queue.requestHold(new AppendQueue.HoldRequest(Set.of(B), new CompletableFuture<>()));
        assertThat(queue.offer(record(B, 9_000))).isTrue();
        addWaiting(record(B, 9_000));
        assertThat(queue.offer(record(5_000))).isTrue();
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
