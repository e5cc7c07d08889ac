package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.B;
import static io.stele.engine.wal.LogFixture.C;
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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class TestNodeLog {
    /** An empty log of this test's own. */
    LogFiles files() throws Exception {
        return LogFixture.files();
    }

    @Test
    void returnsRecordsInLogOrderAfterRestart() throws Exception {
        LogFiles files = files();
        List<Read> expected = new ArrayList<>();
        for (int start = 0; start < 3; start++) {
            NodeLog log = unthreaded(files);
            for (int i = 0; i < 20; i++) {
                String text = "record " + start + "/" + i;
                ShardId shard = i % 2 == 0 ? A : B;
                write(log, shard, text)
                        .thenAccept(
                                position ->
                                        expected.add(
                                                new Read(
                                                        shard,
                                                        position.lsn(),
                                                        RecordType.WRITE,
                                                        text)));
                if (i % 3 == 0) {
                    log.commitWaiting();
                }
            }
            log.close();
        }
        assertThat(read(files)).isEqualTo(expected).hasSize(60);
    }

    @Test
    void putsEverythingThatWaitsIntoOneGroup() throws Exception {
        LogFiles files = files();
        NodeLog log = unthreaded(files);
        for (int i = 0; i < 10; i++) {
            write(log, A, "x");
        }
        assertThat(log.status().groups()).isZero();
        commitAll(log);
        assertThat(log.status().groups()).isEqualTo(1);
        assertThat(log.status().records()).isEqualTo(10);
        assertThat(log.status().queuedBytes()).isZero();
    }

    @Test
    void limitsTheSizeOfGroups() throws Exception {
        NodeLog log = unthreaded(files());
        for (int i = 0; i < 10; i++) {
            write(log, A, "x".repeat(200));
        }
        commitAll(log);
        assertThat(log.status().groups()).isEqualTo(4);
    }

    /** Also where that makes a group larger than others. */
    @Test
    void appendsRecordsOfSeveralShardsAsOne() throws Exception {
        LogFiles files = files();
        Remembering listener = new Remembering();
        NodeLog log = NodeLog.unthreaded(recover(files), listener);
        write(log, A, "x".repeat(400));
        CompletableFuture<Lsn> together =
                log.appendTogether(
                        List.of(
                                new NodeLog.Entry(
                                        B, RecordType.COMMIT, text("b".repeat(400)), "of b"),
                                new NodeLog.Entry(
                                        A, RecordType.COMMIT, text("a".repeat(400)), "of a"),
                                new NodeLog.Entry(
                                        C, RecordType.COMMIT, text("c".repeat(400)), "of c")));
        CompletableFuture<LogPosition> after = write(log, B, "after");
        log.commitWaiting();
        assertThat(together).isDone();
        assertThat(log.status().groups()).isEqualTo(1);
        assertThat(after).isNotDone();
        assertThat(log.snapshotLsn(Set.of(A, C)).lastAssigned())
                .isEqualTo(Map.of(A, together.join(), C, together.join()));
        assertThat(listener.records)
                .filteredOn(record -> record.lsn().equals(together.join()))
                .extracting(DurableRecord::attachment)
                .containsExactlyInAnyOrder("of a", "of b", "of c");
        assertThatThrownBy(
                        () ->
                                log.appendTogether(
                                        List.of(
                                                new NodeLog.Entry(
                                                        A, RecordType.COMMIT, text("1"), null),
                                                new NodeLog.Entry(
                                                        A, RecordType.COMMIT, text("2"), null))))
                .hasMessage("Expected records of different shards, found 2 of 1");
        log.close();
        assertThatThrownBy(
                        () ->
                                log.appendTogether(
                                        List.of(
                                                new NodeLog.Entry(
                                                        A, RecordType.COMMIT, text("1"), null))))
                .hasMessage("The write-ahead log is closed");
        assertThat(read(files))
                .extracting(Read::text)
                .hasSize(5)
                .endsWith("c".repeat(400), "after");
    }

    @Test
    void joinsThePiecesOfAPayloadAndLeavesTheirPositions() throws Exception {
        LogFiles files = files();
        NodeLog log = unthreaded(files);
        ByteBuffer first = ByteBuffer.wrap("xxhead".getBytes(StandardCharsets.UTF_8), 2, 4);
        ByteBuffer second =
                ByteBuffer.allocateDirect(4).put("tail".getBytes(StandardCharsets.UTF_8)).flip();
        log.append(A, RecordType.PREPARE, List.of(first, second), null);
        log.close();
        assertThat(read(files)).extracting(Read::text).containsExactly("headtail");
        assertThat(first.remaining()).isEqualTo(4);
        assertThat(second.remaining()).isEqualTo(4);
    }

    @Test
    void tellsTheListenerInOrderAndBeforeTheFuture() throws Exception {
        Remembering listener = new Remembering();
        NodeLog log = NodeLog.unthreaded(recover(files()), listener);
        List<Integer> heardBefore = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            log.append(i < 3 ? A : B, RecordType.WRITE, text("x"), i)
                    .thenAccept(position -> heardBefore.add(listener.records.size()));
        }
        commitAll(log);
        assertThat(listener.records)
                .extracting(DurableRecord::attachment)
                .containsExactly(0, 1, 2, 3, 4);
        assertThat(listener.records)
                .extracting(DurableRecord::lsn)
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(heardBefore).containsExactly(5, 5, 5, 5, 5);
    }

    @Test
    void continuesLsnsAfterRestartEvenIfTheWallClockWentBack() throws Exception {
        LogFiles files = files();
        NodeLog log =
                NodeLog.unthreaded(
                        RecoveredLog.recover(
                                files, SMALL, new HybridClock(() -> 5_000), (s, l, t, p) -> {}),
                        new Remembering());
        CompletableFuture<LogPosition> before = write(log, A, "before");
        log.close();

        NodeLog restarted = unthreaded(files);
        assertThat(restarted.lastAssigned(A)).isEqualTo(before.join().lsn());
        CompletableFuture<LogPosition> after = write(restarted, A, "after");
        commitAll(restarted);
        assertThat(after.join().lsn()).isEqualTo(new Lsn(before.join().lsn().value() + 1));
    }

    @Test
    void snapshotLiesAboveAssignedLsnsAndBelowLaterOnes() throws Exception {
        NodeLog log = unthreaded(files());
        CompletableFuture<LogPosition> before = write(log, A, "before");
        commitAll(log);
        CompletableFuture<LogPosition> waiting = write(log, A, "waiting, without LSN yet");
        SnapshotLsn snapshot = log.snapshotLsn(Set.of(A, B));
        commitAll(log);
        assertThat(snapshot.lastAssigned()).isEqualTo(Map.of(A, before.join().lsn(), B, Lsn.MIN));
        assertThat(snapshot.lsn())
                .isGreaterThan(before.join().lsn())
                .isLessThan(waiting.join().lsn());
    }

    @Test
    void refusesRecordsBeyondTheLimit() throws Exception {
        NodeLog log = unthreaded(files());
        assertThatThrownBy(() -> write(log, A, "x".repeat(5_001)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Expected a log record of at most 5000 bytes, found 5001 for shard 1-0");
        write(log, A, "x".repeat(5_000));
        commitAll(log);
        assertThat(log.status().records()).isEqualTo(1);
    }

    @Test
    void writesWhatWaitsOnCloseAndRefusesLaterRecords() throws Exception {
        LogFiles files = files();
        NodeLog log = unthreaded(files);
        write(log, A, "waiting");
        log.close();
        log.close();
        assertThat(read(files)).extracting(Read::text).containsExactly("waiting");
        assertThatThrownBy(() -> write(log, A, "late").get())
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(read(files)).hasSize(1);
    }

    @Test
    void deletesSegmentsThatNoShardNeeds() throws Exception {
        LogFiles files = files();
        NodeLog log = unthreaded(files);
        List<CompletableFuture<LogPosition>> written = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            written.add(write(log, i < 10 ? A : C, "x".repeat(400)));
        }
        commitAll(log);
        assertThat(files.segments()).hasSizeGreaterThan(5);
        Lsn lastOfA = written.get(9).join().lsn();
        Lsn lastOfC = written.get(39).join().lsn();
        log.trim(Map.of(), ReleasedRecords.NONE); // what has no records
        long first = log.status().firstSegment();
        assertThat(log.status().firstSegmentShards()).containsExactly(A);

        assertThat(log.trim(Map.of(C, lastOfC), ReleasedRecords.NONE)).isZero();
        assertThat(log.trim(Map.of(A, lastOfA), ReleasedRecords.NONE))
                .isEqualTo((int) (written.get(10).join().segment() - first));
        log.close();
        assertThat(read(files))
                .extracting(Read::lsn)
                .contains(lastOfC)
                .doesNotContain(written.get(0).join().lsn());

        log = unthreaded(files);
        write(log, C, "not needed");
        commitAll(log);
        log.trim(Map.of(A, Lsn.MAX, C, Lsn.MAX), ReleasedRecords.NONE);
        // The last one, and that of the mark if it is another
        assertThat(files.segments()).hasSize(files.isSegmentPerGroup() ? 2 : 1);
        log.close();

        NodeLog restarted = unthreaded(files);
        restarted.trim(Map.of(A, Lsn.MAX, C, Lsn.MAX), ReleasedRecords.NONE);
        assertThat(files.segments()).as("the mark of the trim").hasSize(1);
        write(restarted, A, "after");
        restarted.close();
        assertThat(read(files)).extracting(Read::text).containsExactly("after");
    }
}
