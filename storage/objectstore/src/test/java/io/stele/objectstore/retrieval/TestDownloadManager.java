package io.stele.objectstore.retrieval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What readers get from a store that fails at random and changes, and what it is asked for. */
class TestDownloadManager {
    private static final int REQUEST_BYTES = 1_000;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final GatedStore store = new GatedStore(threads);
    private final DownloadManager manager =
            new DownloadManager(
                    store,
                    RetrievalOptions.DEFAULT
                            .withPlanner(new RangePlanner(100, REQUEST_BYTES))
                            .withRetries(new RetryPolicy(50, 1, 2)),
                    runtime());

    @AfterEach
    void stop() {
        threads.shutdownNow();
        timers.shutdownNow();
    }

    @Test
    void anyRangesGiveTheBytesOfTheStore() throws Exception {
        Random random = new Random(5);
        byte[] content = bytes(20_000, 5);
        store.put("o", content);
        store.failures = 0.3;
        for (int round = 0; round < 200; round++) {
            List<RangeRead> reads = new ArrayList<>();
            for (int i = random.nextInt(8); i >= 0; i--) {
                int offset = random.nextInt(content.length);
                int length = 1 + random.nextInt(Math.min(4_000, content.length - offset));
                reads.add(
                        new RangeRead(
                                new ByteRange(offset, length),
                                random.nextBoolean()
                                        ? ByteBuffer.wrap(new byte[length + 7], 7, length)
                                        : ByteBuffer.allocateDirect(length)));
            }
            manager.readAll("o", reads);
            for (RangeRead read : reads) {
                byte[] found = new byte[read.range().length()];
                read.target().duplicate().get(found);
                assertThat(found).isEqualTo(copy(content, read.range()));
            }
            assertThat(manager.readFully("o")).isEqualTo(content);
        }
        assertThat(manager.statistics().retries()).isGreaterThan(100);
        assertThat(manager.statistics().requestsInFlight()).isZero();
    }

    /** From 3 MiB on, bytes for the heap go by way of a buffer outside of it, if there is one. */
    @Test
    void largeRangesGiveTheBytesOfTheStore() throws Exception {
        byte[] content = bytes(12_000_000, 5);
        store.put("o", content);
        store.failures = 0.3;
        try (DownloadManager large =
                new DownloadManager(
                        store,
                        RetrievalOptions.DEFAULT.withRetries(new RetryPolicy(50, 1, 2)),
                        runtime())) {
            List<Future<Boolean>> readers = new ArrayList<>();
            for (int reader = 0; reader < 40; reader++) { // more than there are buffers for
                int offset = 1_000 * reader;
                int length = 3_000_000 + 200_000 * reader;
                readers.add(
                        threads.submit(
                                () -> {
                                    byte[] target = new byte[length];
                                    large.read("o", offset, target, 0, length);
                                    return Arrays.equals(
                                                    target,
                                                    0,
                                                    length,
                                                    content,
                                                    offset,
                                                    offset + length)
                                            && Arrays.equals(large.readFully("o"), content);
                                }));
            }
            for (Future<Boolean> reader : readers) {
                assertThat(reader.get()).isTrue();
            }
            // Those of hedges count as well
            assertThat(large.statistics().bufferBytes())
                    .isBetween(
                            4L << 20,
                            RetrievalOptions.DEFAULT.bulkBufferBytes()
                                    + RetrievalOptions.DEFAULT.hedgeBufferBytes());
        }
    }

    @Test
    void concurrentReadersGetTheirBytes() throws Exception {
        byte[] content = bytes(50_000, 6);
        store.put("o", content);
        store.failures = 0.2;
        List<Future<Boolean>> readers = new ArrayList<>();
        for (int reader = 0; reader < 32; reader++) {
            Random random = new Random(reader);
            readers.add(
                    threads.submit(
                            () -> {
                                boolean right = true;
                                for (int i = 0; i < 100; i++) {
                                    // Few offsets, so that many want the same
                                    ByteRange range =
                                            new ByteRange(
                                                    500L * random.nextInt(10),
                                                    1 + random.nextInt(2_000));
                                    byte[] target = new byte[range.length()];
                                    manager.read("o", range.offset(), target, 0, target.length);
                                    right &= Arrays.equals(target, copy(content, range));
                                    Arrays.fill(target, (byte) -1);
                                }
                                return right;
                            }));
        }
        for (Future<Boolean> reader : readers) {
            assertThat(reader.get()).isTrue();
        }
        assertThat(manager.statistics().sharedReads()).isPositive();
    }

    @Test
    void whoWantsTheSameBytesWaitsForThem() throws Exception {
        byte[] content = bytes(900, 7);
        store.put("o", content);
        CountDownLatch gate = store.hold();
        Future<byte[]> leader = threads.submit(() -> read("o", 100, 700));
        store.awaitRequests(1);
        List<Future<byte[]>> others =
                List.of(
                        threads.submit(() -> read("o", 100, 700)),
                        threads.submit(() -> read("o", 200, 100)),
                        threads.submit(() -> read("o", 799, 1)));
        awaitShared(3);
        gate.countDown();
        assertThat(leader.get()).isEqualTo(Arrays.copyOfRange(content, 100, 800));
        assertThat(others.get(0).get()).isEqualTo(Arrays.copyOfRange(content, 100, 800));
        assertThat(others.get(1).get()).isEqualTo(Arrays.copyOfRange(content, 200, 300));
        assertThat(others.get(2).get()).isEqualTo(Arrays.copyOfRange(content, 799, 800));
        assertThat(store.requests()).isEqualTo(1);
        read("o", 100, 700); // it is over: nobody's bytes are kept
        assertThat(store.requests()).isEqualTo(2);
    }

    @Test
    void whoJoinedAReaderThatGaveUpAsksForItself() throws Exception {
        byte[] content = bytes(900, 8);
        store.put("o", content);
        CountDownLatch gate = store.hold();
        Future<byte[]> leader = threads.submit(() -> read("o", 0, 900));
        store.awaitRequests(1);
        Future<byte[]> other = threads.submit(() -> read("o", 10, 20));
        awaitShared(1);
        leader.cancel(true);
        store.awaitRequests(2);
        gate.countDown();
        assertThat(other.get()).isEqualTo(Arrays.copyOfRange(content, 10, 30));
    }

    @Test
    void aPassengerMayLeave() throws Exception {
        byte[] content = bytes(900, 8);
        store.put("o", content);
        CountDownLatch gate = store.hold();
        Future<byte[]> leader = threads.submit(() -> read("o", 0, 900));
        store.awaitRequests(1);
        byte[] target = new byte[20];
        CountDownLatch left = new CountDownLatch(1);
        Future<?> other =
                threads.submit(
                        () -> {
                            try {
                                manager.read("o", 10, target, 0, 20);
                            } catch (InterruptedIOException e) {
                                left.countDown();
                            }
                            return null;
                        });
        awaitShared(1);
        other.cancel(true);
        left.await();
        gate.countDown();
        assertThat(leader.get()).isEqualTo(content);
        assertThat(target).containsOnly(0);
    }

    @Test
    void anInterruptedReaderCancelsWhatItAskedFor() throws Exception {
        store.put("o", bytes(5_000, 9));
        CountDownLatch gate = store.hold();
        byte[] target = new byte[5_000];
        CountDownLatch ended = new CountDownLatch(1);
        Future<?> reader =
                threads.submit(
                        () -> {
                            try {
                                manager.read("o", 0, target, 0, target.length);
                            } catch (InterruptedIOException e) {
                                if (Thread.currentThread().isInterrupted()) {
                                    ended.countDown();
                                }
                            }
                            return null;
                        });
        store.awaitRequests(5);
        reader.cancel(true);
        ended.await();
        assertThat(store.cancelled()).isEqualTo(5);
        assertThat(manager.statistics().requestsInFlight()).isZero();
        assertThat(manager.statistics().bytesInFlight()).isZero();
        gate.countDown();
        assertThat(target).containsOnly(0);
    }

    @Test
    void whatHasChangedIsNotShared() throws Exception {
        store.put("o", new byte[] {1, 1, 1});
        CountDownLatch gate = store.hold();
        Future<byte[]> before = threads.submit(() -> read("o", 0, 3));
        store.awaitRequests(1);
        store.put("o", new byte[] {2, 2, 2});
        manager.forget("o");
        Future<byte[]> after = threads.submit(() -> read("o", 0, 3));
        store.awaitRequests(2);
        gate.countDown();
        assertThat(after.get()).containsExactly(2, 2, 2);
        before.get();
    }

    @Test
    void aReadHasTheBytesOfOneVersion() throws Exception {
        store.put("o", bytes(10_000, 1));
        store.changes = 2; // while it is read
        byte[] whole = manager.readFully("o");
        assertThat(whole).isEqualTo(store.content("o"));
        store.changes = 2;
        assertThat(read("o", 0, 10_000)).isEqualTo(store.content("o"));
        store.changes = Integer.MAX_VALUE;
        assertThatThrownBy(() -> manager.readFully("o"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("changed 3 times");
    }

    @Test
    void emptyMissingAndShortObjects() throws Exception {
        store.put("empty", new byte[0]);
        store.put("short", new byte[] {1, 2, 3});
        assertThat(manager.readFully("empty")).isEmpty();
        assertThat(manager.readFully("short")).containsExactly(1, 2, 3);
        assertThatThrownBy(() -> manager.readFully("none")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> read("none", 0, 1)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> read("short", 1, 3)).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> read("short", 3, 1)).isInstanceOf(BehindEndException.class);
        assertThat(manager.statistics().failures()).isZero();
        assertThat(manager.statistics().retries()).isZero();
    }

    @Test
    void aStoreThatFailsForGoodIsSaidToFail() {
        store.put("o", new byte[100]);
        store.failures = 1;
        assertThatThrownBy(() -> read("o", 0, 100))
                .isInstanceOf(TransientReadException.class)
                .hasMessageContaining("injected");
        assertThat(manager.statistics().requests()).isEqualTo(50);
        assertThat(manager.statistics().failures()).isEqualTo(1);
    }

    private RetrievalRuntime runtime() {
        return new RetrievalRuntime(
                System::nanoTime,
                new Random(1),
                (nanos, task) -> {
                    Future<?> scheduled = timers.schedule(task, nanos, TimeUnit.NANOSECONDS);
                    return () -> scheduled.cancel(false);
                },
                threads);
    }

    private byte[] read(String object, long offset, int length) throws IOException {
        byte[] target = new byte[length];
        manager.read(object, offset, target, 0, length);
        return target;
    }

    private void awaitShared(int count) {
        while (manager.statistics().sharedReads() < count) {
            Thread.onSpinWait();
        }
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] copy(byte[] content, ByteRange range) {
        return Arrays.copyOfRange(content, (int) range.offset(), (int) range.end());
    }
}
