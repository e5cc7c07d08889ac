package io.stele.sidecar.flight;

import io.stele.testing.LoopbackServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.Semaphore;

/**
 * A TCP link to a port, which lets only as many bytes through to it as it was told to. Answers
 * pass.
 */
final class SlowLink implements AutoCloseable {
    private static final int PIECE_BYTES = 1 << 10;

    private final int target;
    private final LoopbackServer server;
    private final Semaphore pieces = new Semaphore(0);

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
