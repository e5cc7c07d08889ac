package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.B;
import static io.stele.engine.wal.LogFixture.C;
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
import io.stele.protocol.SteleException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TestLogHold {
    @Test
    void heldShardsWaitAndOthersGoOn() throws Exception {
        InMemoryLogFiles files = LogFixture.files();
        NodeLog log = unthreaded(files);
        CompletableFuture<LogPosition> before = write(log, A, "queued before the hold");
        LogHold hold = log.hold(Set.of(A, B)).join();
        CompletableFuture<LogPosition> during = write(log, A, "during the hold");
        CompletableFuture<LogPosition> other = write(log, C, "other shard");
        commitAll(log);

        assertThat(before).isDone();
        assertThat(during).isNotDone();
        assertThat(other).isDone();
        assertThat(before.join().lsn()).isLessThan(hold.lsn());
        assertThat(other.join().lsn()).isGreaterThan(hold.lsn());
        assertThat(hold.previous()).isEqualTo(Map.of(A, before.join().lsn(), B, Lsn.MIN));
        assertThat(log.snapshotLsn(Set.of(A)).lastAssigned()).containsEntry(A, hold.lsn());
        assertThat(log.status().heldBytes()).isPositive();

        CompletableFuture<LogPosition> outcome =
                hold.append(A, RecordType.OUTCOME, text("commit"), null);
        hold.release();
        hold.close();
        commitAll(log);
        assertThat(outcome.join().lsn()).isEqualTo(hold.lsn());
        assertThat(during.join().lsn()).isGreaterThan(other.join().lsn());
        assertThat(log.status().heldBytes()).isZero();
        assertThat(read(files))
                .containsExactly(
                        new Read(
                                A, before.join().lsn(), RecordType.WRITE, "queued before the hold"),
                        new Read(C, other.join().lsn(), RecordType.WRITE, "other shard"),
                        new Read(A, hold.lsn(), RecordType.OUTCOME, "commit"),
                        new Read(B, hold.lsn(), RecordType.VOID, ""),
                        new Read(A, during.join().lsn(), RecordType.WRITE, "during the hold"));
    }

    /** Its part in a shard that is not held comes after what was queued there before. */
    @Test
    void recordsTogetherComeBeforeAHoldAsAWhole() throws Exception {
        InMemoryLogFiles files = LogFixture.files();
        NodeLog log = unthreaded(files);
        CompletableFuture<LogPosition> before = write(log, C, "before");
        CompletableFuture<Lsn> together =
                log.appendTogether(
                        List.of(
                                new NodeLog.Entry(A, RecordType.COMMIT, text("a"), null),
                                new NodeLog.Entry(C, RecordType.COMMIT, text("c"), null)));
        LogHold hold = log.hold(Set.of(A, B)).join();
        assertThatThrownBy(
                        () ->
                                log.appendTogether(
                                        List.of(
                                                new NodeLog.Entry(
                                                        B, RecordType.COMMIT, text("b"), null))))
                .hasMessageContaining("Expected the log of shard 1-1 to be free");
        CompletableFuture<LogPosition> after = write(log, C, "after");
        hold.release();
        commitAll(log);
        assertThat(hold.previous().get(A)).isEqualTo(together.join());
        assertThat(before.join().lsn()).isLessThan(together.join());
        assertThat(after.join().lsn()).isGreaterThan(together.join());
        assertThat(read(files))
                .filteredOn(read -> read.type() == RecordType.COMMIT)
                .containsExactly(
                        new Read(A, together.join(), RecordType.COMMIT, "a"),
                        new Read(C, together.join(), RecordType.COMMIT, "c"));
    }

    @Test
    void holdsOfTheSameShardQueueUpInOrder() throws Exception {
        NodeLog log = unthreaded(LogFixture.files());
        LogHold first = log.hold(Set.of(A)).join();
        CompletableFuture<LogHold> second = log.hold(Set.of(A, B));
        CompletableFuture<LogHold> third = log.hold(Set.of(B));
        CompletableFuture<LogHold> unrelated = log.hold(Set.of(C));
        assertThat(second).isNotDone();
        assertThat(third).as("must not overtake the second, which waits for B, too").isNotDone();
        assertThat(unrelated).isDone();

        CompletableFuture<LogPosition> between = write(log, A, "between");
        first.release();
        assertThat(second).isDone();
        assertThat(third).isNotDone();
        commitAll(log);
        assertThat(between.join().lsn()).isGreaterThan(first.lsn()).isLessThan(second.join().lsn());
        second.join().release();
        assertThat(third.join().lsn()).isGreaterThan(second.join().lsn());
    }

    @Test
    void takesOneRecordForEachHeldShard() throws Exception {
        NodeLog log = unthreaded(LogFixture.files());
        LogHold hold = log.hold(List.of(A)).join();
        assertThatThrownBy(() -> hold.append(B, RecordType.OUTCOME, text("x"), null))
                .isInstanceOf(IllegalStateException.class);
        hold.append(A, RecordType.OUTCOME, text("x"), null);
        assertThatThrownBy(() -> hold.append(A, RecordType.OUTCOME, text("x"), null))
                .isInstanceOf(IllegalStateException.class);
        hold.release();
        assertThatThrownBy(() -> hold.append(A, RecordType.OUTCOME, text("x"), null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("released");
    }

    @Test
    void resumesADecidedTransactionBelowTheClock() throws Exception {
        InMemoryLogFiles files = LogFixture.files();
        NodeLog log = unthreaded(files);
        write(log, A, "prepare");
        write(log, B, "prepare");
        commitAll(log);
        LogHold lost = log.hold(Set.of(A, B)).join();
        lost.append(B, RecordType.OUTCOME, text("commit"), null);
        CompletableFuture<LogPosition> other = write(log, C, "later");
        commitAll(log);

        // The process dies here; B has its outcome, A has not.
        Remembering listener = new Remembering();
        NodeLog restarted = NodeLog.unthreaded(recover(files), listener);
        assertThatThrownBy(() -> restarted.resume(lost.lsn(), Set.of(B)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "Expected shard 1-1 without a hold and below LSN " + lost.lsn());
        LogHold resumed = restarted.resume(lost.lsn(), Set.of(A));
        CompletableFuture<LogPosition> later = write(restarted, A, "next");
        resumed.append(A, RecordType.OUTCOME, text("commit"), "attachment");
        resumed.release();
        commitAll(restarted);
        assertThat(listener.of(A))
                .extracting(DurableRecord::lsn)
                .containsExactly(lost.lsn(), later.join().lsn());
        assertThat(later.join().lsn()).isGreaterThan(other.join().lsn());
    }

    @Test
    void resumesOneDecisionAfterTheOther() throws Exception {
        InMemoryLogFiles files = LogFixture.files();
        NodeLog log = unthreaded(files);
        Lsn first = Lsn.of(2_000, 1);
        Lsn second = Lsn.of(2_000, 5);
        CompletableFuture<LogPosition> waiting = write(log, A, "came before, without LSN");
        for (Lsn lsn : List.of(first, second)) {
            LogHold hold = log.resume(lsn, Set.of(A, B));
            assertThatThrownBy(() -> log.resume(Lsn.MAX, Set.of(A)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("found a hold");
            hold.append(A, RecordType.OUTCOME, text("commit"), null);
            hold.release();
        }
        commitAll(log);
        assertThat(read(files))
                .filteredOn(record -> record.shard().equals(A))
                .extracting(Read::lsn)
                .containsExactly(first, second, waiting.join().lsn());
    }

    @Test
    void closeFailsWhatTheHoldKeepsBack() throws Exception {
        InMemoryLogFiles files = LogFixture.files();
        NodeLog log = unthreaded(files);
        LogHold hold = log.hold(Set.of(A)).join();
        CompletableFuture<LogPosition> kept = write(log, A, "kept back");
        CompletableFuture<LogHold> second = log.hold(Set.of(A));
        CompletableFuture<LogPosition> other = write(log, B, "other");
        log.close();
        assertThat(other).isCompleted();
        assertUnavailable(kept);
        assertUnavailable(second);
        assertUnavailable(hold.append(A, RecordType.OUTCOME, text("x"), null));
        hold.release();
        assertThat(read(files)).extracting(Read::shard).containsExactly(B);
    }

    @Test
    void othersAreGrantedOutsideOfTheLock() throws Exception {
        NodeLog log = unthreaded(LogFixture.files());
        LogHold first = log.hold(Set.of(A)).join();
        CompletableFuture<Void> granted =
                log.hold(Set.of(A)).thenAccept(second -> releaseElsewhere(first));
        first.release();
        granted.get(120, TimeUnit.SECONDS);

        LogHold third = log.hold(Set.of(B)).join();
        CompletableFuture<Void> refused =
                log.hold(Set.of(B))
                        .handle(
                                (fourth, cause) -> {
                                    assertThat(cause).hasRootCauseInstanceOf(SteleException.class);
                                    releaseElsewhere(third);
                                    return null;
                                });
        third.abandon(new SteleException(ErrorCode.UNAVAILABLE, "shard B stopped"));
        refused.get(120, TimeUnit.SECONDS);
    }

    /** A callback that waits for another thread, which needs the lock of the hold. */
    private static void releaseElsewhere(LogHold hold) {
        CompletableFuture.runAsync(hold::release).orTimeout(10, TimeUnit.SECONDS).join();
    }

    private static void assertUnavailable(CompletableFuture<?> future) {
        assertThatThrownBy(future::join)
                .cause()
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }
}
