package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.commitAll;
import static io.stele.engine.wal.LogFixture.read;
import static io.stele.engine.wal.LogFixture.unthreaded;
import static io.stele.engine.wal.LogFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.wal.LogFixture.Read;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.hadoop.HadoopFileSystems;
import io.stele.objectstore.hadoop.HadoopLocation;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.testing.MiniHdfs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A log on a real HDFS: its owners, and files that they left open. */
final class HadoopLogFilesIT {
    private static final AtomicInteger FOLDERS = new AtomicInteger();

    private final List<LogFiles> opened = new ArrayList<>();
    private HadoopLocation location;

    @BeforeEach
    void newLocation() throws IOException {
        location =
                HadoopLocation.parse(
                        MiniHdfs.shared().location("log/" + FOLDERS.incrementAndGet()));
    }

    @AfterEach
    void close() throws IOException {
        for (LogFiles files : opened) {
            files.close();
        }
    }

    static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private HadoopLogFiles files() throws IOException {
        HadoopLogFiles files =
                HadoopLogFiles.open(location, new HadoopConfig(), HadoopLogFilesIT::pause);
        opened.add(files);
        return files;
    }

    private HadoopLogFiles owner(long epoch) throws IOException {
        HadoopLogFiles files = files();
        files.takeOver(epoch, LogId.NONE);
        return files;
    }

    /** The owner before is alive and has a segment open: it is closed, and read to its end. */
    @Test
    void anOwnerBeforeIsFenced() throws Exception {
        NodeLog old = unthreaded(owner(1));
        for (int i = 0; i < 20; i++) {
            write(old, A, "record " + i);
            commitAll(old);
        }
        HadoopLogFiles files = owner(2);
        CompletableFuture<LogPosition> late = write(old, A, "too late");
        commitAll(old);
        assertThat(late)
                .isCompletedExceptionally()
                .failsWithin(java.time.Duration.ZERO)
                .withThrowableThat()
                .matches(LostOwnershipException::isCauseOf);
        assertThat(old.status().failed()).isTrue();
        NodeLog log = unthreaded(files);
        write(log, A, "of the new one");
        log.close();
        assertThat(read(owner(3)))
                .extracting(Read::text)
                .hasSize(21)
                .doesNotContain("too late")
                .endsWith("of the new one");
    }

    /** One that has no segment open makes no new one either. */
    @Test
    void anOwnerBeforeBeginsNoSegment() throws Exception {
        HadoopLogFiles old = owner(1);
        owner(2);
        assertThatThrownBy(() -> old.create(1)).isInstanceOf(LostOwnershipException.class);
        HadoopLogFiles closed = owner(3);
        closed.create(1).close();
        owner(4);
        assertThatThrownBy(() -> closed.create(2)).isInstanceOf(LostOwnershipException.class);
    }

    @Test
    void anEngineThatWasOpenedEarlierGivesUp() throws Exception {
        owner(2);
        assertThatThrownBy(() -> owner(1))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("epoch 1, found it taken in epoch 2");
    }

    /**
     * Of engines that begin at the same time one owns the log in the end: that of the last epoch.
     */
    @Test
    void oneOfManyRacersOwnsTheLog() throws Exception {
        int racers = 4;
        for (int round = 0; round < 5; round++) {
            newLocation();
            List<HadoopLogFiles> racing = new ArrayList<>();
            for (int i = 0; i < racers; i++) {
                racing.add(files());
            }
            CyclicBarrier start = new CyclicBarrier(racers);
            try (ExecutorService threads = Executors.newFixedThreadPool(racers)) {
                List<Future<Boolean>> owned = new ArrayList<>();
                for (int i = 0; i < racers; i++) {
                    int racer = i;
                    owned.add(
                            threads.submit(
                                    () -> {
                                        start.await();
                                        try {
                                            racing.get(racer).takeOver(racer + 1, LogId.NONE);
                                            return true;
                                        } catch (SteleException later) {
                                            return false;
                                        }
                                    }));
                }
                for (Future<Boolean> future : owned.subList(0, racers - 1)) {
                    future.get();
                }
                assertThat(owned.getLast().get()).isTrue();
            }
            racing.getLast().create(1).close();
            for (HadoopLogFiles loser : racing.subList(0, racers - 1)) {
                assertThatThrownBy(() -> loser.create(2))
                        .isInstanceOfAny(IOException.class, IllegalStateException.class);
            }
        }
    }

    @Test
    void sealingCutsAndKeepsTheRest() throws Exception {
        byte[] bytes = new byte[2_500_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 7);
        }
        HadoopLogFiles files = owner(1);
        try (LogFiles.Writer writer = files.create(1)) {
            writer.append(
                    List.of(
                            ByteBuffer.wrap(bytes, 0, 10),
                            ByteBuffer.allocateDirect(0),
                            ByteBuffer.wrap(bytes, 10, bytes.length - 10)));
            writer.sync();
        }
        files.seal(1, 2_400_000, 100_000);
        try (LogFiles.Reader reader = files.open(1)) {
            assertThat(reader.sizeBytes()).isEqualTo(2_400_000);
            ByteBuffer found = ByteBuffer.allocate(2_400_000);
            reader.read(0, found);
            assertThat(found.array()).isEqualTo(java.util.Arrays.copyOf(bytes, 2_400_000));
            assertThatThrownBy(() -> reader.read(2_399_999, ByteBuffer.allocate(2)))
                    .isInstanceOf(java.io.EOFException.class);
        }
        assertThat(files.segments()).containsExactly(1L);
    }

    /** An engine died while it sealed: what it was writing is removed. */
    @Test
    void halfSealedSegmentsGo() throws Exception {
        NodeLog log = unthreaded(owner(1));
        write(log, A, "kept");
        log.close();
        try (FileSystem hdfs = HadoopFileSystems.open(location, new HadoopConfig())) {
            Path left = new Path(location + "/%020d/%020d.wal.sealing".formatted(1, 1));
            hdfs.create(left).close();
            HadoopLogFiles files = owner(2);
            assertThat(read(files)).extracting(Read::text).containsExactly("kept");
            assertThat(hdfs.exists(new Path(location + "/%020d".formatted(1)))).isFalse();
            assertThat(hdfs.listStatus(new Path(location + "/%020d".formatted(2)))).hasSize(1);
        }
    }
}
