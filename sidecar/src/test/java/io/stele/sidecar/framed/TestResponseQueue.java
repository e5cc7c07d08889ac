package io.stele.sidecar.framed;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FramePayload;
import io.stele.protocol.wire.FrameReader;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.WireLimits;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class TestResponseQueue {
    @Test
    void everyReplyOfManyThreadsIsWrittenOnce() throws Exception {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ResponseQueue queue = new ResponseQueue(new FrameWriter(output), System::nanoTime);
        Thread writer = Thread.ofVirtual().start(() -> writeAll(queue));
        AtomicInteger flushed = new AtomicInteger();
        List<Thread> adders = new ArrayList<>();
        for (int adder = 0; adder < 8; adder++) {
            int first = adder * 1_000;
            adders.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int id = first; id < first + 1_000; id++) {
                                            add(queue, id, flushed);
                                        }
                                    }));
        }
        for (Thread adder : adders) {
            adder.join();
        }
        queue.close();
        writer.join();
        assertThat(flushed).hasValue(8_000);
        FrameReader reader =
                new FrameReader(
                        new ByteArrayInputStream(output.toByteArray()), WireLimits.MAX_FRAME_BYTES);
        Set<Integer> seen = new HashSet<>();
        for (Frame frame = reader.read(); frame != null; frame = reader.read()) {
            assertThat(seen.add(frame.requestId())).isTrue();
            assertThat(frame.payload()).hasSize(frame.requestId() % 7);
        }
        assertThat(seen).hasSize(8_000);
    }

    /** Half of the threads write themselves; what others add meanwhile leaves as well. */
    private static void add(ResponseQueue queue, int id, AtomicInteger flushed) {
        byte[] payload = new byte[id % 7];
        if (id / 1_000 % 2 == 0) {
            queue.add(FrameType.PING_REPLY, id, FramePayload.of(payload), flushed::incrementAndGet);
            return;
        }
        try {
            queue.addAndWrite(
                    FrameType.PING_REPLY, id, FramePayload.of(payload), flushed::incrementAndGet);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whatIsAddedWhileAnotherWritesLeavesWithoutAClose() throws Exception {
        CountDownLatch writes = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch flushed = new CountDownLatch(2);
        ResponseQueue queue =
                new ResponseQueue(new FrameWriter(waiting(writes, goOn)), System::nanoTime);
        Thread writer = Thread.ofVirtual().start(() -> writeAll(queue));
        Thread first = startWriting(queue, flushed::countDown);
        writes.await();
        queue.add(FrameType.PING_REPLY, 2, FramePayload.of(new byte[0]), flushed::countDown);
        goOn.countDown();
        flushed.await();
        first.join();
        queue.close();
        writer.join();
    }

    /**
     * The writer waits for the lock that another has, is woken by its release and by the close at
     * once, and finds nothing left to write: the second wake-up is none.
     */
    @Test
    void aCloseWhileTheWriterWaitsForTheLockIsNotLost() throws Exception {
        CountDownLatch writes = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ResponseQueue queue =
                new ResponseQueue(new FrameWriter(waiting(writes, goOn)), System::nanoTime);
        Thread first = startWriting(queue, queue::close); // the lock is held by then
        writes.await();
        Thread writer = Thread.ofPlatform().daemon().start(() -> writeAll(queue));
        while (writer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        first.join();
        assertThat(writer.join(Duration.ofMinutes(1))).as("the writer has ended").isTrue();
    }

    /** Adds a reply that nothing else holds. */
    private static WeakReference<byte[]> addLarge(
            ResponseQueue queue, int size, CountDownLatch flushed) {
        byte[] payload = new byte[size];
        queue.add(FrameType.PING_REPLY, 1, FramePayload.of(payload), flushed::countDown);
        return new WeakReference<>(payload);
    }

    @Test
    void aLargeReplyGivesItsMemoryBackBeforeTheNextHasLeft() throws Exception {
        int size = 300 << 10;
        CountDownLatch goOn = new CountDownLatch(1);
        OutputStream slow =
                new OutputStream() {
                    private int written;

                    @Override
                    public void write(int value) {
                        throw new AssertionError("Expected whole buffers");
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        written += length;
                        if (written > size + 100) {
                            awaitQuietly(goOn);
                        }
                    }
                };
        ResponseQueue queue = new ResponseQueue(new FrameWriter(slow), System::nanoTime);
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        WeakReference<byte[]> memory = addLarge(queue, size, first);
        queue.add(FrameType.PING_REPLY, 2, FramePayload.of(new byte[size]), second::countDown);
        Thread writer = Thread.ofVirtual().start(() -> writeAll(queue));
        first.await();
        while (memory.get() != null) { // fails by the timeout of the class
            System.gc();
            Thread.onSpinWait();
        }
        assertThat(second.getCount()).isOne();
        goOn.countDown();
        second.await();
        queue.close();
        writer.join();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void repliesThatNobodyReadsGiveTheirPermitsBack() throws Exception {
        OutputStream broken =
                new OutputStream() {
                    @Override
                    public void write(int value) throws IOException {
                        throw new IOException("the client has gone");
                    }
                };
        ResponseQueue queue = new ResponseQueue(new FrameWriter(broken), System::nanoTime);
        AtomicInteger flushed = new AtomicInteger();
        Thread writer = Thread.ofVirtual().start(() -> writeAll(queue));
        queue.add(FrameType.PING_REPLY, 1, FramePayload.of(new byte[0]), flushed::incrementAndGet);
        writer.join();
        queue.add(FrameType.PING_REPLY, 2, FramePayload.of(new byte[0]), flushed::incrementAndGet);
        assertThat(flushed).hasValue(2);
    }

    @Test
    void stallIsSeenByTheClock() throws Exception {
        AtomicLong now = new AtomicLong(1_000);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch taken = new CountDownLatch(1);
        OutputStream slow =
                new OutputStream() {
                    @Override
                    public void write(int value) {}

                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        writing.countDown();
                        try {
                            taken.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    }
                };
        ResponseQueue queue = new ResponseQueue(new FrameWriter(slow), now::get);
        Thread writer = Thread.ofVirtual().start(() -> writeAll(queue));
        queue.add(FrameType.PING_REPLY, 1, FramePayload.of(new byte[0]), () -> {});
        writing.await();
        assertThat(queue.isStalled(100)).isFalse();
        now.addAndGet(200);
        assertThat(queue.isStalled(100)).isTrue();
        taken.countDown();
        queue.close();
        writer.join();
        assertThat(queue.isStalled(100)).isFalse();
    }

    /** Tells of each write, and waits in it. */
    private static OutputStream waiting(CountDownLatch writes, CountDownLatch goOn) {
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                writes.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
        };
    }

    private static Thread startWriting(ResponseQueue queue, Runnable flushed) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                queue.addAndWrite(
                                        FrameType.PING_REPLY,
                                        1,
                                        FramePayload.of(new byte[0]),
                                        flushed);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
    }

    private static void writeAll(ResponseQueue queue) {
        try {
            queue.writeAll();
        } catch (IOException e) {
            // The queue has given everything back by now, which is what the tests look at.
            assertThat(e).hasMessageContaining("gone");
        }
    }
}
