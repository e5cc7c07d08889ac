package io.stele.flink.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every change is handed over once and in order, whatever breaks, or the task fails. */
@Timeout(300)
final class TestChangeFetcher {
    private static final Lsn START = new Lsn(1);
    private static final long POLL_NANOS = 1_000_000;

    private final FakeHistory history = new FakeHistory();
    private final ChangeBuffer buffer = new ChangeBuffer(ChangeFetcher.BUFFER_BYTES);
    private Optional<ChangeFetcher> fetcher = Optional.empty();

    @AfterEach
    void stop() {
        fetcher.ifPresent(ChangeFetcher::close);
        assertThat(history.openLeases()).isZero();
    }

    private ChangeFetcher start(Duration unavailableTimeout, ChangeSplit... splits) {
        ChangeFetcher started =
                new ChangeFetcher(
                        "shop.orders",
                        history,
                        buffer,
                        new ChangeFetcher.Times(
                                Duration.ofMillis(1), unavailableTimeout, Duration.ofMinutes(1)));
        fetcher = Optional.of(started);
        for (ChangeSplit split : splits) {
            started.add(split);
        }
        started.start();
        return started;
    }

    private static ChangeSplit split(int shard, boolean readsSnapshot) {
        return new ChangeSplit(new TableId(1), shard, START, readsSnapshot);
    }

    private ChangeChunk take() throws Exception {
        while (true) {
            buffer.available().get(120, TimeUnit.SECONDS);
            while (buffer.takeHeld().isPresent()) {
                // of no interest here
            }
            Optional<ChangeChunk> chunk = buffer.take();
            if (chunk.isPresent()) {
                return chunk.get();
            }
        }
    }

    /** Takes chunks until they have this number of rows. */
    private List<String> take(int count) throws Exception {
        List<String> rows = new ArrayList<>();
        while (rows.size() < count) {
            ChangeChunk chunk = take();
            chunk.rows().forEach(row -> rows.add(FakeHistory.text(row)));
            assertThat(chunk.lsns()).hasSize(chunk.rows().size());
            assertThat(chunk.isWhole()).isTrue();
        }
        return rows;
    }

    @Test
    void commitsComeInTheOrderOfTheirShard() throws Exception {
        history.commit(0, 10, 2);
        history.commit(1, 11, 1);
        start(Duration.ofMinutes(1), split(0, false), split(1, false));
        assertThat(take(3)).containsExactlyInAnyOrder("0/10/0", "0/10/1", "1/11/0");
        history.commit(0, 12, 1);
        history.commit(0, 13, 1);
        assertThat(take(2)).containsExactly("0/12/0", "0/13/0");
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"UNAVAILABLE", "BUSY", "SNAPSHOT_EXPIRED"})
    void aCommitThatBreaksComesOnce(ErrorCode code) throws Exception {
        history.commit(0, 10, 1);
        history.commit(0, 11, 3);
        history.breakAt(11, 2, code, 2);
        start(Duration.ofMinutes(1), split(0, false));
        assertThat(take(4)).containsExactly("0/10/0", "0/11/0", "0/11/1", "0/11/2");
        history.commit(0, 12, 1);
        assertThat(take(1)).containsExactly("0/12/0");
    }

    @Test
    void commitsBeforeABrokenOneAreNotHeldUp() throws Exception {
        history.commit(0, 10, 1);
        history.commit(0, 11, 1);
        history.breakAt(11, 0, ErrorCode.UNAVAILABLE, Integer.MAX_VALUE);
        start(Duration.ofMinutes(10), split(0, false));
        assertThat(take(1)).containsExactly("0/10/0");
        while (!buffer.drainedTo(0).equals(Optional.of(new Lsn(10)))) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    @Test
    void aSidecarThatStaysAwayFailsTheTask() {
        history.commit(0, 10, 1);
        history.breakAt(10, 0, ErrorCode.UNAVAILABLE, Integer.MAX_VALUE);
        start(Duration.ofMillis(100), split(0, false));
        assertThatThrownBy(this::take)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "Cannot read the changes of shard 0 of table shop.orders of Stele after LSN 1 (")
                .hasMessageEndingWith("): a fault of the test");
    }

    /** A poll that only asks is no success, or such failures would never add up. */
    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"UNAVAILABLE", "BUSY", "SNAPSHOT_EXPIRED"})
    void failuresThatComeLateFailTheTask(ErrorCode code) {
        history.answerLate();
        history.commit(0, 10, 1);
        history.breakAt(10, 0, code, Integer.MAX_VALUE);
        start(Duration.ofMillis(200), split(0, false));
        assertThatThrownBy(this::take).hasMessageEndingWith("): a fault of the test");
    }

    @Test
    void failuresBetweenWhichChangesComeDoNotAddUp() throws Exception {
        history.answerLate();
        for (int lsn = 10; lsn < 20; lsn++) {
            history.commit(0, lsn, 1);
            history.breakAt(lsn, 0, ErrorCode.SNAPSHOT_EXPIRED, 1);
        }
        start(Duration.ofMinutes(1), split(0, false));
        assertThat(take(10)).startsWith("0/10/0").endsWith("0/19/0");
    }

    @Test
    @Timeout(15) // less than the time between two renewals
    void aShardThatIsAddedWhileTheThreadWaitsForTheSidecarIsNotLeftAlone() throws Exception {
        history.onHold(
                () -> {
                    history.onHold(() -> {});
                    fetcher.orElseThrow().add(split(1, true));
                    LockSupport.parkNanos(POLL_NANOS); // as a wait for an answer does
                });
        start(Duration.ofMinutes(1), split(0, true));
        assertThat(takeHeld().shard()).isZero();
        assertThat(takeHeld().shard()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"SNAPSHOT_EXPIRED", "STALE_TABLE", "TABLE_NOT_FOUND", "CORRUPT_DATA"})
    void whatDoesNotPassFailsTheTask(ErrorCode code) {
        history.commit(0, 10, 1);
        history.breakAt(10, 0, code, Integer.MAX_VALUE);
        start(Duration.ofMinutes(10), split(0, false));
        assertThatThrownBy(this::take).hasMessageContaining("shard 0 of table shop.orders");
    }

    @Test
    void aLargeCommitThatBreaksFailsTheTask() throws Exception {
        int rows = (int) (2 * ChangeFetcher.CHUNK_BYTES / FakeHistory.ROW_BYTES);
        history.commit(0, 10, rows);
        history.breakAt(10, rows - 1, ErrorCode.UNAVAILABLE, 1);
        start(Duration.ofMinutes(1), split(0, false));
        assertThatThrownBy(
                        () -> {
                            while (!take().isWhole()) {
                                // a part of it
                            }
                        })
                .hasMessageContaining("of which a large commit has been passed on in part");
    }

    @Test
    void aTaskThatTakesNothingHoldsTheFetcherUpAndLosesNoHistory() throws Exception {
        int rowsOfACommit = (int) (ChangeFetcher.CHUNK_BYTES / FakeHistory.ROW_BYTES) / 2;
        int commits = 24;
        for (int i = 0; i < commits; i++) {
            history.commit(0, 10 + i, rowsOfACommit);
        }
        start(Duration.ofMinutes(1), split(0, false), split(1, false));
        int before = history.renewals();
        while (!buffer.isHalfFull() || history.renewals() < before + 3) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        int taken = 0;
        long last = 0;
        while (taken < commits * rowsOfACommit) {
            ChangeChunk chunk = take();
            assertThat(chunk.lsns()).isSorted();
            assertThat(chunk.lsns()[0]).isGreaterThan(last);
            last = chunk.lsns()[chunk.lsns().length - 1];
            taken += chunk.rows().size();
        }
        assertThat(taken).isEqualTo(commits * rowsOfACommit);
    }

    @Test
    void aFetcherThatWaitsForRoomIsClosed() {
        int rows = (int) (3 * ChangeFetcher.BUFFER_BYTES / FakeHistory.ROW_BYTES);
        history.commit(0, 10, rows);
        ChangeFetcher waiting = start(Duration.ofMinutes(1), split(0, false));
        while (!buffer.isHalfFull()) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        waiting.close();
        assertThat(history.openLeases()).isZero();
    }

    @Test
    void changesWaitForTheirSnapshot() throws Exception {
        history.commit(0, 10, 1);
        history.commit(1, 11, 1);
        ChangeFetcher started = start(Duration.ofMinutes(1), split(0, true), split(1, false));
        ChangeBuffer.Held first = takeHeld();
        assertThat(first.shard()).isZero();
        assertThat(first.snapshot().orElseThrow().lsn()).isEqualTo(START);
        assertThat(takeHeld().snapshot()).isEmpty();
        assertThat(take(1)).containsExactly("1/11/0");
        history.commit(1, 12, 1);
        assertThat(take(1)).containsExactly("1/12/0");
        started.add(split(0, false));
        assertThat(take(1)).containsExactly("0/10/0");
        assertThat(history.openLeases()).isEqualTo(2); // of the feeds, none of the snapshot
    }

    private ChangeBuffer.Held takeHeld() throws Exception {
        while (true) {
            Optional<ChangeBuffer.Held> held = buffer.takeHeld();
            if (held.isPresent()) {
                return held.get();
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    @Test
    void aPositionMovesWithoutChanges() {
        start(Duration.ofMinutes(1), split(0, false));
        history.pass(50);
        while (!buffer.drainedTo(0).equals(Optional.of(new Lsn(50)))) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
