package io.stele.sidecar.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LoopbackServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP link to a port, which lets only as many bytes through to it as it was told to. Answers
 * pass.
 */
final class SlowLink implements AutoCloseable {
    private static final int PIECE_BYTES = 1 << 10;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final int target;
    private final LoopbackServer server;
    private final Semaphore pieces = new Semaphore(0);
    private final AtomicLong passedBytes = new AtomicLong();

    SlowLink(int target) throws IOException {
        this.target = target;
        this.server = LoopbackServer.start(this::serve);
    }

    int port() {
        return server.port();
    }

    /** Lets this many more bytes through, about. */
    void allow(int bytes) {
        pieces.release(bytes / PIECE_BYTES);
    }

    /**
     * Waits until all that is allowed has passed and more waits, and returns how many bytes have.
     */
    long awaitPassed() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (!pieces.hasQueuedThreads()) {
            assertThat(System.nanoTime()).as("time for what is allowed").isLessThan(deadline);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return passedBytes.get();
    }

    private void serve(Socket client) throws IOException, InterruptedException {
        try (Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target)) {
            Thread answers =
                    Thread.startVirtualThread(
                            () -> {
                                try {
                                    upstream.getInputStream().transferTo(client.getOutputStream());
                                } catch (IOException ended) {
                                    // by one of the two
                                }
                            });
            try {
                InputStream in = client.getInputStream();
                OutputStream out = upstream.getOutputStream();
                byte[] piece = new byte[PIECE_BYTES];
                for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                    pieces.acquire();
                    passedBytes.addAndGet(count);
                    out.write(Arrays.copyOf(piece, count));
                }
            } finally {
                upstream.close();
                answers.join();
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
