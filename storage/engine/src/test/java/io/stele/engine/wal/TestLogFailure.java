package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.B;
import static io.stele.engine.wal.LogFixture.SMALL;
import static io.stele.engine.wal.LogFixture.commitAll;
import static io.stele.engine.wal.LogFixture.read;
import static io.stele.engine.wal.LogFixture.recover;
import static io.stele.engine.wal.LogFixture.text;
import static io.stele.engine.wal.LogFixture.unthreaded;
import static io.stele.engine.wal.LogFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.wal.LogFixture.Read;
import io.stele.engine.wal.LogFixture.Remembering;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * After a failed write or sync nothing is acknowledged, everything waiting fails by name, and a
 * restart recovers.
 */
class TestLogFailure {
    @Test
    void fullDiskFailsEverythingAndLosesNothingAcknowledged() throws Exception {
        for (int freeBytes = 0; freeBytes < 3_000; freeBytes += 7) {
            InMemoryLogFiles disk = LogFixture.files();
            Remembering listener = new Remembering();
            NodeLog log =
                    NodeLog.unthreaded(recover(new LimitedLogFiles(disk, freeBytes)), listener);
            List<Read> acknowledged = new ArrayList<>();
            while (!log.status().failed()) {
                write(log, A, "0123456789".repeat(10))
                        .thenAccept(
                                position ->
                                        acknowledged.add(
                                                new Read(
                                                        A,
                                                        position.lsn(),
                                                        RecordType.WRITE,
                                                        "0123456789".repeat(10))));
                log.commitWaiting();
            }
            assertThat(listener.failure.join())
                    .hasMessageStartingWith(
                            "The write-ahead log failed for good while writing group ")
                    .hasMessageContaining("to memory:")
                    .hasMessageContaining("No space left on device");
            assertThat(listener.records).hasSize(acknowledged.size());
            // With space again: the acknowledged records, then new ones.
            assertThat(read(disk)).isEqualTo(acknowledged);
            NodeLog restarted = unthreaded(disk);
            write(restarted, A, "after");
            restarted.close();
            assertThat(read(disk)).hasSize(acknowledged.size() + 1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void failedSyncPoisonsTheLog(boolean threaded) throws Exception {
        LimitedLogFiles files = new LimitedLogFiles(LogFixture.files(), Long.MAX_VALUE);
        Remembering listener = new Remembering();
        NodeLog log =
                threaded
                        ? NodeLog.start(recover(files), listener, Thread.ofPlatform().factory())
                        : NodeLog.unthreaded(recover(files), listener);
        CompletableFuture<LogPosition> first = write(log, A, "first");
        if (!threaded) {
            commitAll(log);
        }
        first.get(120, TimeUnit.SECONDS);
        LogHold hold = log.hold(Set.of(A)).join();
        CompletableFuture<LogPosition> held = write(log, A, "held");
        CompletableFuture<LogHold> secondHold = log.hold(Set.of(A));
        files.failSyncs();
        CompletableFuture<LogPosition> failing = write(log, B, "failing");
        if (!threaded) {
            commitAll(log);
        }
        for (CompletableFuture<?> future : List.of(failing, held, secondHold)) {
            assertFailed(future);
        }
        assertFailed(write(log, A, "later"));
        assertFailed(hold.append(A, RecordType.OUTCOME, text("x"), null));
        hold.release();
        assertFailed(log.hold(Set.of(B)));
        assertThatThrownBy(() -> log.resume(Lsn.MAX, Set.of(B))).isInstanceOf(SteleException.class);
        assertThat(listener.failure)
                .isCompletedWithValueMatching(e -> e.getMessage().contains("Input/output error"));
        assertThat(log.status().failed()).isTrue();
        assertThat(log.status().queuedBytes()).isZero();
        log.close();
        assertThat(listener.records).hasSize(1);
    }

    @Test
    void failedMarkFailsTheTrimAndDeletesNothing() throws Exception {
        InMemoryLogFiles disk = LogFixture.files();
        LimitedLogFiles files = new LimitedLogFiles(disk, Long.MAX_VALUE);
        NodeLog log = unthreaded(files);
        for (int i = 0; i < 10; i++) {
            write(log, A, "x".repeat(400));
        }
        commitAll(log);
        List<Long> segments = disk.segments();
        files.failSyncs();
        assertThatThrownBy(() -> log.trim(Map.of(A, Lsn.MAX), ReleasedRecords.NONE))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILED));
        assertThat(disk.segments()).isEqualTo(segments);
    }

    @Test
    void failingListenerStopsTheLog() throws Exception {
        AtomicBoolean reported = new AtomicBoolean();
        LogListener listener =
                new LogListener() {
                    @Override
                    public void onDurable(ShardId shard, List<DurableRecord> records) {
                        throw new IllegalStateException("broken invariant");
                    }

                    @Override
                    public void onFailure(SteleException cause) {
                        reported.set(true);
                    }
                };
        NodeLog log =
                NodeLog.unthreaded(
                        RecoveredLog.recover(
                                LogFixture.files(), SMALL, LogFixture.clock(), (s, l, t, p) -> {}),
                        listener);
        CompletableFuture<LogPosition> future = write(log, A, "x");
        commitAll(log);
        assertFailed(future);
        assertThat(reported).isTrue();
        assertFailed(write(log, A, "later"));
    }

    private static void assertFailed(CompletableFuture<?> future) {
        assertThatThrownBy(() -> future.get(120, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILED));
    }
}
