package io.stele.sidecar.postgresql;

import io.stele.testing.LoopbackServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A proxy before a server of PostgreSQL's protocol that records what one client sends. */
final class RecordingProxy implements AutoCloseable {
    private final LoopbackServer server;
    private final int upstreamPort;
    private final CompletableFuture<byte[]> recorded = new CompletableFuture<>();

    RecordingProxy(int upstreamPort) throws IOException {
        this.upstreamPort = upstreamPort;
        this.server = LoopbackServer.start(this::pass);
    }

    int port() {
        return server.port();
    }

    private void pass(Socket client) throws IOException {
        try (Socket upstream = new Socket("127.0.0.1", upstreamPort)) {
            Thread.ofVirtual().start(() -> answer(upstream, client));
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            InputStream in = client.getInputStream();
            byte[] part = new byte[8 << 10];
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                bytes.write(part, 0, count);
                upstream.getOutputStream().write(part, 0, count);
            }
            recorded.complete(bytes.toByteArray());
        }
    }

    private static void answer(Socket upstream, Socket client) {
        try {
            upstream.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException ended) {
            // the client has left
        }
    }

    /** Waits until the client has left. */
    List<ClientMessage> messages() throws IOException {
        return ClientMessage.afterLogin(
                new DataInputStream(new ByteArrayInputStream(recorded.join())));
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
