package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.commitAll;
import static io.stele.engine.wal.LogFixture.read;
import static io.stele.engine.wal.LogFixture.unthreaded;
import static io.stele.engine.wal.LogFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.wal.LogFixture.Read;
import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A log in an object store: its bytes, its owners, and what may be deleted. */
final class TestObjectLogFiles {
    private final InMemoryObjectStore store = new InMemoryObjectStore();

    private static ObjectLogFiles files(ObjectStore store) {
        return new ObjectLogFiles(store, "log/", Runnable::run, _ -> {});
    }

    private ObjectLogFiles owner(long epoch) throws IOException {
        ObjectLogFiles files = files(store);
        files.takeOver(epoch, LogId.NONE);
        return files;
    }

    private static String path(long id) {
        return "log/%020d".formatted(id);
    }

    @Test
    void aNewLogBeginsWithAFence() throws Exception {
        owner(7);
        assertThat(store.list("")).extracting(ObjectEntry::path).containsExactly(path(1));
        assertThat(HexFormat.of().formatHex(store.readFully(path(1))))
                .isEqualTo(
                        // magic, version, kind, id, epoch, body length, checksums of body and
                        // header
                        "5354454c454c474f 00000001 00000001 0000000000000001 0000000000000007"
                                        .replace(" ", "")
                                + "0000005ccf57336fb40ba6fc"
                                // the segment's header
                                + "5354454c4557414c0000000100000000"
                                + "000000000000000100000000000000018a502b93"
                                // a group without records
                                + "53475250010000000000000000000001000000000000000100000024"
                                + "0000000c00000000619ab1052b407a01"
                                + "000000000000000157e1e5d7");
    }

    @Test
    void everyGroupIsAnObject() throws Exception {
        NodeLog log = unthreaded(owner(1));
        for (int i = 0; i < 3; i++) {
            write(log, A, "record " + i);
            log.commitWaiting();
        }
        assertThat(store.list("")).hasSize(4);
        assertThat(read(owner(2)))
                .extracting(Read::text)
                .containsExactly("record 0", "record 1", "record 2");
    }

    @Test
    void anOwnerBeforeIsFenced() throws Exception {
        NodeLog old = unthreaded(owner(1));
        write(old, A, "of the old one");
        commitAll(old);
        ObjectLogFiles files = owner(2);
        CompletableFuture<LogPosition> late = write(old, A, "too late");
        commitAll(old);
        assertThat(late)
                .isCompletedExceptionally()
                .failsWithin(java.time.Duration.ZERO)
                .withThrowableThat()
                .withMessageContaining("taken over by another engine")
                .matches(LostOwnershipException::isCauseOf);
        assertThat(old.status().failed()).isTrue();
        assertThat(read(files)).extracting(Read::text).containsExactly("of the old one");
        NodeLog log = unthreaded(files);
        write(log, A, "of the new one");
        commitAll(log);
        assertThat(read(owner(3)))
                .extracting(Read::text)
                .containsExactly("of the old one", "of the new one");
    }

    /** Between the listing and the fence the owner before writes on; nothing of it is lost. */
    @Test
    void anOwnerThatWritesMeanwhileIsRead() throws Exception {
        NodeLog old = unthreaded(owner(1));
        List<CompletableFuture<LogPosition>> written = new ArrayList<>();
        ObjectStore racing =
                new ForwardingObjectStore(store) {
                    private int collisions = 5;

                    @Override
                    public boolean createIfAbsent(String path, byte[] content) throws IOException {
                        if (collisions-- > 0) {
                            written.add(write(old, A, "record " + collisions));
                            commitAll(old);
                        }
                        return super.createIfAbsent(path, content);
                    }
                };
        ObjectLogFiles files = files(racing);
        files.takeOver(2, LogId.NONE);
        assertThat(written).hasSize(5).allMatch(future -> future.isDone());
        assertThat(read(files)).hasSize(5);
        assertThat(write(unthreaded(files), A, "x")).isNotCompleted();
    }

    @Test
    void anEngineThatWasOpenedEarlierGivesUp() throws Exception {
        owner(2);
        assertThatThrownBy(() -> owner(1))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("epoch 1, found it taken in epoch 2");
        assertThat(store.list("")).hasSize(1);
    }

    /**
     * An owner stalls before it creates an object. Others take the log over, write and trim: when
     * the stalled one goes on, the fence is still where it would write.
     */
    @Test
    void aStalledOwnerFindsTheFenceHoweverLate() throws Exception {
        NodeLog stalled = unthreaded(owner(1));
        write(stalled, A, "before the stall");
        commitAll(stalled);
        List<String> fences = new ArrayList<>();
        for (int epoch = 2; epoch < 5; epoch++) {
            ObjectLogFiles files = owner(epoch);
            fences.add(path(files.segments().getLast()));
            NodeLog log = unthreaded(files);
            for (int i = 0; i < 10; i++) {
                write(log, A, "record " + i);
                log.commitWaiting();
            }
            log.trim(Map.of(A, Lsn.MAX), ReleasedRecords.NONE);
            assertThat(files.segments()).as("the last record and the mark").hasSize(2);
        }
        CompletableFuture<LogPosition> late = write(stalled, A, "too late");
        commitAll(stalled);
        assertThat(late).isCompletedExceptionally();
        assertThat(store.list("")).extracting(ObjectEntry::path).containsAll(fences);
        assertThat(read(owner(5))).extracting(Read::text).containsExactly("record 9");
    }

    /** However many starts of others an owner sleeps through: no fence ever goes. */
    @Test
    void aStalledOwnerFindsTheFenceAfterAnyNumberOfStarts() throws Exception {
        NodeLog stalled = unthreaded(owner(1));
        write(stalled, A, "before the stall");
        commitAll(stalled);
        for (int epoch = 2; epoch <= 250; epoch++) {
            NodeLog log = unthreaded(owner(epoch));
            write(log, A, "x" + epoch);
            commitAll(log);
            log.trim(Map.of(A, Lsn.MAX), ReleasedRecords.NONE);
        }
        CompletableFuture<LogPosition> late = write(stalled, A, "too late");
        commitAll(stalled);
        assertThat(late).isCompletedExceptionally();
        assertThat(store.list(""))
                .as("a fence a start, and the last group")
                .hasSizeBetween(250, 260);
        assertThat(read(owner(251))).extracting(Read::text).containsExactly("x250");
    }

    /** A creation that got through without an answer is ours; one that comes late is nobody's. */
    @Test
    void unknownOutcomesAreFoundOut() throws Exception {
        for (int seed = 0; seed < 50; seed++) {
            FaultInjectingObjectStore faulty =
                    new FaultInjectingObjectStore(
                            CrashPoint.never(), StoreFaults.NONE, new Random(seed), _ -> {});
            ObjectLogFiles files = files(faulty);
            files.takeOver(1, LogId.NONE);
            NodeLog log = unthreaded(files);
            faulty.setFaults(new StoreFaults(0.1, 0.1, 0.2, 0, 0));
            List<CompletableFuture<LogPosition>> written = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                written.add(write(log, A, "record " + i));
                log.commitWaiting();
            }
            assertThat(written).allMatch(future -> !future.isCompletedExceptionally());
            faulty.setFaults(StoreFaults.NONE);
            faulty.settle();
            ObjectLogFiles next = files(faulty);
            next.takeOver(2, LogId.NONE);
            assertThat(read(next)).hasSize(20);
        }
    }

    @Test
    void aStoreThatStaysAwayEndsTheLog() throws Exception {
        FaultInjectingObjectStore faulty =
                new FaultInjectingObjectStore(
                        CrashPoint.never(), StoreFaults.NONE, new Random(1), _ -> {});
        List<Long> pauses = new ArrayList<>();
        ObjectLogFiles files = new ObjectLogFiles(faulty, "log/", Runnable::run, pauses::add);
        files.takeOver(1, LogId.NONE);
        NodeLog log = unthreaded(files);
        faulty.setFaults(StoreFaults.OUTAGE);
        write(log, A, "x");
        commitAll(log);
        assertThat(log.status().failed()).isTrue();
        assertThat(pauses.stream().mapToLong(Long::longValue).sum()).isBetween(60_000L, 120_000L);
    }

    @Test
    void damageIsNamed() throws Exception {
        NodeLog log = unthreaded(owner(1));
        for (int i = 0; i < 3; i++) {
            write(log, A, "record " + i);
            log.commitWaiting();
        }
        for (long id : List.of(1L, 3L, 4L)) {
            byte[] object = store.readFully(path(id));
            for (int at = 0; at < object.length; at += 3) {
                InMemoryObjectStore damaged = store.copy();
                byte[] flipped = object.clone();
                flipped[at] ^= 0x10;
                damaged.put(path(id), flipped);
                assertThatThrownBy(() -> takenOver(damaged))
                        .as("byte %s of %s", at, id)
                        .isInstanceOfSatisfying(
                                SteleException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                        .hasMessageContaining(path(id));
            }
            InMemoryObjectStore cut = store.copy();
            cut.put(path(id), java.util.Arrays.copyOf(object, object.length - 1));
            assertThatThrownBy(() -> takenOver(cut))
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining(path(id));
        }
    }

    @Test
    void aMissingObjectIsNamed() throws Exception {
        NodeLog log = unthreaded(owner(1));
        for (int i = 0; i < 5; i++) {
            write(log, A, "record " + i);
            log.commitWaiting();
        }
        store.delete(path(3));
        assertThatThrownBy(() -> takenOver(store))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("Expected log segment 1, found that it is missing");
    }

    private static List<Read> takenOver(ObjectStore store) throws IOException {
        ObjectLogFiles files = files(store);
        files.takeOver(2, LogId.NONE);
        return read(files);
    }
}
