package io.stele.storage.retrieval.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;

/** An HTTP server on loopback that says what a test wants. Safe for use by many threads. */
final class ScriptedServer implements AutoCloseable {
    private final ServerSocket server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final Script script;

    /** Answers requests. */
    @FunctionalInterface
    interface Script {
        /**
         * @param number of the request, from 1
         * @return whether the connection stays
         */
        boolean answer(String request, int number, OutputStream out) throws Exception;
    }

    ScriptedServer(ServerSocketFactory factory, Script script) throws IOException {
        this.server = factory.createServerSocket(0, 100, InetAddress.getLoopbackAddress());
        this.script = script;
        threads.execute(this::accept);
    }

    ScriptedServer(Script script) throws IOException {
        this(ServerSocketFactory.getDefault(), script);
    }

    int port() {
        return server.getLocalPort();
    }

    int connections() {
        return connections.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                connections.incrementAndGet();
                threads.execute(() -> serve(client));
            }
        } catch (IOException stopped) {
            // closed
        }
    }

    private void serve(Socket client) {
        try (client) {
            InputStream in = client.getInputStream();
            boolean stays = true;
            while (stays) {
                StringBuilder head = new StringBuilder();
                while (head.indexOf("\r\n\r\n") < 0) {
                    int next = in.read();
                    if (next < 0) {
                        return;
                    }
                    head.append((char) next);
                }
                stays =
                        script.answer(
                                head.toString(),
                                requests.incrementAndGet(),
                                client.getOutputStream());
            }
        } catch (Exception e) {
            // the client has gone, or the test is over
        }
    }

    static void say(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(ISO_8859_1));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdownNow();
    }
}
