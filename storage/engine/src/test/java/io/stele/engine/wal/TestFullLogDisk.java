package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.B;
import static io.stele.engine.wal.LogFixture.C;
import static io.stele.engine.wal.LogFixture.commitAll;
import static io.stele.engine.wal.LogFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.wal.LogFixture.Read;
import io.stele.engine.wal.LogFixture.Remembering;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** While the disk has no space, records wait: the log neither fails nor loses the order. */
@Timeout(300)
class TestFullLogDisk {
    private static final int RESERVED_BYTES = 20 << 10;
    private static final LogOptions OPTIONS =
            new LogOptions(1 << 20, 500, 100_000, 20_000, RESERVED_BYTES, Duration.ZERO);

    private final InMemoryLogFiles disk = LogFixture.files();
    private final Remembering listener = new Remembering();

    private RecoveredLog recovered() throws IOException {
        return RecoveredLog.recover(
                disk, OPTIONS, LogFixture.clock(), (shard, lsn, type, payload) -> {});
    }

    private NodeLog unthreaded() throws IOException {
        return NodeLog.unthreaded(recovered(), listener);
    }

    private static List<CompletableFuture<LogPosition>> write(
            NodeLog log, ShardId shard, int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> LogFixture.write(log, shard, i + "x".repeat(1_000)))
                .toList();
    }

    private static Map<ShardId, Lsn> all() {
        return Map.of(A, Lsn.MAX, B, Lsn.MAX);
    }

    private List<String> numbers() throws IOException {
        return read(disk).stream().map(Read::text).map(text -> text.replace("x", "")).toList();
    }

    @Test
    void recordsWaitInOrderUntilThereIsSpace() throws Exception {
        disk.setMaxBytes(RESERVED_BYTES + 10_000);
        NodeLog log = unthreaded();
        List<CompletableFuture<LogPosition>> written = write(log, A, 0, 20);
        commitAll(log);
        assertThat(written).filteredOn(CompletableFuture::isDone).hasSize(9);
        assertThat(log.status().space().isFull()).isTrue();
        assertThat(log.status().space().usableBytes()).isBetween(0L, 1_100L);
        CompletableFuture<LogPosition> small = LogFixture.write(log, A, "small");
        commitAll(log);
        assertThat(small).as("one that would fit behind one that waits").isNotDone();
        disk.setMaxBytes(Long.MAX_VALUE);
        commitAll(log);
        assertThat(log.status().space().isFull()).isFalse();
        log.close();
        assertThat(numbers())
                .containsExactlyElementsOf(
                        IntStream.range(0, 21).mapToObj(i -> i < 20 ? "" + i : "small").toList());
        assertThat(disk.overflows()).isZero();
    }

    @Test
    void trimmingMakesRoomOfTheOnlySegment() throws Exception {
        disk.setMaxBytes(RESERVED_BYTES + 10_000);
        NodeLog log = unthreaded();
        List<CompletableFuture<LogPosition>> written = write(log, A, 0, 60);
        for (int i = 0; i < 60 && log.status().queuedBytes() > 0; i++) {
            commitAll(log);
            log.trim(all(), ReleasedRecords.NONE);
        }
        assertThat(written).allMatch(CompletableFuture::isDone);
        assertThat(disk.overflows()).isZero();
        log.close();
        assertThat(numbers()).endsWith("59").doesNotContain("0");
    }

    /** Until the transaction ends, the log that has its beginning cannot be trimmed. */
    @Test
    void theEndOfATransactionPassesRecordsOfOthersThatWait() throws Exception {
        NodeLog log = unthreaded();
        LogHold hold = log.hold(List.of(B)).join();
        write(log, A, 0, 5);
        commitAll(log);
        disk.setMaxBytes(disk.sizeBytes() + RESERVED_BYTES);
        CompletableFuture<LogPosition> waiting = LogFixture.write(log, A, "waits");
        CompletableFuture<LogPosition> behind = LogFixture.write(log, B, "behind the hold");
        CompletableFuture<LogPosition> end =
                hold.append(B, RecordType.OUTCOME, LogFixture.text("end"), null);
        hold.release();
        CompletableFuture<LogPosition> other =
                log.appendNow(C, RecordType.OUTCOME, LogFixture.text("other"), null);
        CompletableFuture<LogPosition> later =
                log.appendNow(A, RecordType.OUTCOME, LogFixture.text("later"), null);
        commitAll(log);
        assertThat(end).isDone();
        assertThat(other).isDone();
        assertThat(waiting).isNotDone();
        assertThat(behind).isNotDone();
        assertThat(later).as("behind one of its shard").isNotDone();
        disk.setMaxBytes(Long.MAX_VALUE);
        commitAll(log);
        log.close();
        assertThat(numbers())
                .containsExactly(
                        "0",
                        "1",
                        "2",
                        "3",
                        "4",
                        "end",
                        "other",
                        "waits",
                        "behind the hold",
                        "later");
        assertThat(disk.overflows()).isZero();
    }

    @Test
    void whatHasNoRoomIsNotTaken() throws Exception {
        disk.setMaxBytes(RESERVED_BYTES + 2_000);
        NodeLog log = unthreaded();
        assertThat(log.hasRoom(2_000)).isTrue();
        assertThat(log.status().space().isFull()).isFalse();
        assertThat(tryAppend(log, 1_500)).isPresent();
        assertThat(log.hasRoom(500)).as("behind what waits").isFalse();
        assertThat(tryAppend(log, 500)).isEmpty();
        assertThat(log.status().space().isFull()).isTrue();
        commitAll(log);
        log.trim(all(), ReleasedRecords.NONE);
        assertThat(log.status().space().isFull()).as("there is more again").isFalse();
        assertThat(tryAppend(log, 1_500)).isPresent();
        commitAll(log);
        assertThat(disk.overflows()).isZero();
    }

    private static Optional<CompletableFuture<LogPosition>> tryAppend(NodeLog log, int bytes) {
        return log.tryAppend(A, RecordType.WRITE, LogFixture.text("x".repeat(bytes)), null);
    }

    @Test
    void aSegmentWithRecordsThatAreNeededStays() throws Exception {
        disk.setMaxBytes(RESERVED_BYTES + 10_000);
        NodeLog log = unthreaded();
        write(log, A, 0, 5);
        write(log, B, 5, 20);
        commitAll(log);
        long before = disk.sizeBytes();
        assertThat(log.trim(Map.of(B, Lsn.MAX), ReleasedRecords.NONE)).isZero();
        assertThat(disk.sizeBytes()).as("no segment was begun").isEqualTo(before);
    }

    @Test
    void nothingIsTrimmedWhereTheMarkHasNoSpace() throws Exception {
        NodeLog log = unthreaded();
        write(log, A, 0, 20);
        commitAll(log);
        disk.setMaxBytes(disk.sizeBytes());
        assertThat(log.trim(all(), ReleasedRecords.NONE)).isZero();
        CompletableFuture<LogPosition> waiting = LogFixture.write(log, A, "waits");
        commitAll(log);
        assertThat(waiting).isNotDone();
        disk.setMaxBytes(Long.MAX_VALUE);
        commitAll(log);
        assertThat(waiting).isDone();
    }

    @Test
    void whatStillWaitsWhenItIsClosedIsNotThere() throws Exception {
        disk.setMaxBytes(RESERVED_BYTES + 10_000);
        NodeLog log = unthreaded();
        List<CompletableFuture<LogPosition>> written = write(log, A, 0, 20);
        log.close();
        checkClosed(written);
    }

    @Test
    void theLogThreadGoesOnWhenThereIsSpaceAndEndsWhenThereIsNone() throws Exception {
        disk.setMaxBytes(RESERVED_BYTES + 10_000);
        NodeLog log =
                NodeLog.start(recovered(), listener, Thread.ofPlatform().name("log").factory());
        List<CompletableFuture<LogPosition>> written = new ArrayList<>(write(log, A, 0, 20));
        written.get(8).get(120, TimeUnit.SECONDS);
        CompletableFuture<LogPosition> last = written.getLast();
        while (!last.isDone()) {
            log.trim(all(), ReleasedRecords.NONE);
        }
        last.join();
        disk.setMaxBytes(disk.sizeBytes() + RESERVED_BYTES + 10_000);
        List<CompletableFuture<LogPosition>> more = write(log, A, 20, 40);
        more.get(8).get(120, TimeUnit.SECONDS);
        log.close();
        checkClosed(more);
    }

    private void checkClosed(List<CompletableFuture<LogPosition>> written) throws IOException {
        List<String> durable = numbers();
        assertThat(written).filteredOn(CompletableFuture::isCompletedExceptionally).isNotEmpty();
        for (CompletableFuture<LogPosition> future : written) {
            if (future.isCompletedExceptionally()) {
                assertThatThrownBy(future::join)
                        .hasCauseInstanceOf(SteleException.class)
                        .satisfies(
                                failed ->
                                        assertThat(((SteleException) failed.getCause()).code())
                                                .isEqualTo(ErrorCode.UNAVAILABLE))
                        .hasMessageContaining("waited for space on its disk");
            }
        }
        assertThat(durable.size())
                .isGreaterThanOrEqualTo(
                        (int)
                                written.stream()
                                        .filter(future -> !future.isCompletedExceptionally())
                                        .count());
        assertThat(disk.overflows()).isZero();
        assertThat(listener.failure).isNotDone();
    }
}
