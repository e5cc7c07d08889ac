package io.stele.testing;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ServerSocketFactory;

/**
 * A server on a free loopback port that gives each connection a virtual thread of its own, which is
 * interrupted when the server closes. Thread-safe.
 */
public final class LoopbackServer implements AutoCloseable {
    private static final int BACKLOG = 1024;

    private final ServerSocket server;
    private final Handler handler;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** The protocol of a connection. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Serves a client, whose connection is closed afterwards.
         *
         * @throws Exception if the client has gone; it is ignored
         */
        void serve(Socket client) throws Exception;
    }

    private LoopbackServer(ServerSocket server, Handler handler) {
        this.server = server;
        this.handler = requireNonNull(handler, "handler is null");
    }

    /** Starts one. */
    public static LoopbackServer start(Handler handler) throws IOException {
        return start(ServerSocketFactory.getDefault(), handler);
    }

    /** Starts one with sockets of this kind. */
    public static LoopbackServer start(ServerSocketFactory sockets, Handler handler)
            throws IOException {
        LoopbackServer started =
                new LoopbackServer(
                        sockets.createServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()),
                        handler);
        started.threads.execute(started::accept);
        return started;
    }

    /** The port on which it listens. */
    public int port() {
        return server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                threads.execute(() -> serve(client));
            }
        } catch (IOException stopped) {
            // closed
        }
    }

    private void serve(Socket client) {
        try (client) {
            handler.serve(client);
        } catch (Exception gone) {
            // The client, or what is behind the handler: the other one sees its connection end
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdownNow();
    }
}
