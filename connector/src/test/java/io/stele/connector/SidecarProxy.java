package io.stele.connector;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Stands before a sidecar's HTTP, Flight and framed ports, and cuts connections of the latter when
 * a test wants it. Thread-safe.
 */
final class SidecarProxy implements AutoCloseable {
    private static final Pattern PORT =
            Pattern.compile("\"(flightPort|clientPort)\"\\s*:\\s*(\\d+)");

    private final URI sidecar;
    private final HttpServer http;
    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<String, ServerSocket> sockets = new HashMap<>(); // by the name of the port
    private final Map<String, Integer> ports = new ConcurrentHashMap<>(); // behind each
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Set<Socket> silent = ConcurrentHashMap.newKeySet();
    private volatile Optional<String> silencing = Optional.empty();
    private final Semaphore silenced = new Semaphore(0);

    SidecarProxy(String sidecarUri) throws IOException {
        this.sidecar = URI.create(sidecarUri);
        for (String portName : List.of("flightPort", "clientPort")) {
            sockets.put(portName, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        }
        this.http =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        http.setExecutor(task -> Thread.ofVirtual().start(task));
        http.createContext("/", this::forward);
        http.start();
        sockets.forEach(
                (portName, socket) ->
                        Thread.ofVirtual().name(portName).start(() -> accept(portName, socket)));
    }

    String uri() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    /** Ends all connections; new ones are let through. Returns how many there were. */
    int cut() {
        int cut = 0;
        for (Socket socket : open) {
            closeQuietly(socket);
            cut++;
        }
        return cut;
    }

    /** Requests with such a text get through, and their connections hear nothing any more. */
    void silence(String text) {
        silencing = Optional.of(text);
    }

    /** Waits until so many requests came that were silenced. */
    void awaitSilenced(int requests) throws InterruptedException {
        assertThat(silenced.tryAcquire(requests, 60, TimeUnit.SECONDS)).isTrue();
    }

    /** Ends the silence; what was not heard comes now. */
    void endSilence() {
        silencing = Optional.empty();
        synchronized (silent) {
            silent.clear();
            silent.notifyAll();
        }
    }

    private void forward(HttpExchange exchange) throws IOException {
        try (exchange) {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(sidecar.resolve(exchange.getRequestURI()));
            String authorization = exchange.getRequestHeaders().getFirst("Authorization");
            if (authorization != null) {
                request.header("Authorization", authorization);
            }
            HttpResponse<String> response =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            byte[] body = redirected(response.body()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(response.statusCode(), body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String redirected(String body) {
        return PORT.matcher(body)
                .replaceAll(
                        port -> {
                            String portName = port.group(1);
                            ports.put(portName, Integer.parseInt(port.group(2)));
                            return "\"%s\":%d"
                                    .formatted(
                                            portName,
                                            requireNonNull(sockets.get(portName)).getLocalPort());
                        });
    }

    private void accept(String portName, ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                connect(socket.accept(), requireNonNull(ports.get(portName)));
            } catch (IOException e) {
                // closed
            }
        }
    }

    private void connect(Socket ofClient, int port) {
        Socket ofSidecar;
        try {
            ofSidecar = new Socket(InetAddress.getLoopbackAddress(), port);
        } catch (IOException e) {
            closeQuietly(ofClient); // or it would wait for a sidecar that is elsewhere by now
            return;
        }
        open.add(ofClient);
        open.add(ofSidecar);
        Thread.ofVirtual().start(() -> copy(ofClient, ofSidecar));
        Thread.ofVirtual().start(() -> copy(ofSidecar, ofClient));
    }

    private void copy(Socket from, Socket to) {
        byte[] buffer = new byte[8192];
        try {
            String before = "";
            for (int read = from.getInputStream().read(buffer);
                    read >= 0;
                    read = from.getInputStream().read(buffer)) {
                String text = before + new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
                int kept = silencing.map(String::length).orElse(1) - 1; // it may come in two reads
                before = text.substring(Math.max(0, text.length() - kept));
                if (silencing.filter(text::contains).isPresent()) {
                    silent.add(to); // before it can answer
                    silenced.release();
                }
                awaitSound(from);
                to.getOutputStream().write(buffer, 0, read);
            }
        } catch (IOException e) {
            // cut
        } finally {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private void awaitSound(Socket socket) throws IOException {
        synchronized (silent) {
            try {
                while (silent.contains(socket)) {
                    silent.wait();
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    private void closeQuietly(Socket socket) {
        open.remove(socket);
        synchronized (silent) {
            silent.remove(socket);
            silent.notifyAll();
        }
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        http.stop(0);
        for (ServerSocket socket : sockets.values()) {
            socket.close();
        }
        cut();
        client.close();
    }
}
