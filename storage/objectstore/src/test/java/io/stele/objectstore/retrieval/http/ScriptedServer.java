package io.stele.objectstore.retrieval.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stele.testing.LoopbackServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;

/** An HTTP server on loopback that says what a test wants. Safe for use by many threads. */
final class ScriptedServer implements AutoCloseable {
    private final LoopbackServer server;
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
        this.script = script;
        this.server = LoopbackServer.start(factory, this::serve);
    }

    ScriptedServer(Script script) throws IOException {
        this(ServerSocketFactory.getDefault(), script);
    }

    int port() {
        return server.port();
    }

    int connections() {
        return connections.get();
    }

    private void serve(Socket client) throws Exception {
        connections.incrementAndGet();
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
                            head.toString(), requests.incrementAndGet(), client.getOutputStream());
        }
    }

    static void say(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(ISO_8859_1));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
