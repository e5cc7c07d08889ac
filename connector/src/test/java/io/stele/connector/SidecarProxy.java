package io.stele.connector;

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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands before a sidecar's HTTP and Flight ports, and cuts Flight connections when a test wants
 * it. Thread-safe.
 */
final class SidecarProxy implements AutoCloseable {
    private static final Pattern FLIGHT_PORT = Pattern.compile("\"flightPort\"\\s*:\\s*(\\d+)");

    private final URI sidecar;
    private final HttpServer http;
    private final HttpClient client = HttpClient.newHttpClient();
    private final ServerSocket flight;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile int flightPort;

    SidecarProxy(String sidecarUri) throws IOException {
        this.sidecar = URI.create(sidecarUri);
        this.flight = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.http =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        http.setExecutor(task -> Thread.ofVirtual().start(task));
        http.createContext("/", this::forward);
        http.start();
        Thread.ofVirtual().name("flight-proxy").start(this::accept);
    }

    String uri() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    /** Ends all Flight connections; new ones are let through. Returns how many there were. */
    int cut() {
        int cut = 0;
        for (Socket socket : open) {
            closeQuietly(socket);
            cut++;
        }
        return cut;
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
        Matcher port = FLIGHT_PORT.matcher(body);
        if (!port.find()) {
            return body;
        }
        flightPort = Integer.parseInt(port.group(1));
        return port.replaceFirst("\"flightPort\":" + flight.getLocalPort());
    }

    private void accept() {
        while (!flight.isClosed()) {
            try {
                connect(flight.accept());
            } catch (IOException e) {
                // closed
            }
        }
    }

    private void connect(Socket ofClient) {
        Socket ofSidecar;
        try {
            ofSidecar = new Socket(InetAddress.getLoopbackAddress(), flightPort);
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
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // cut
        } finally {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private void closeQuietly(Socket socket) {
        open.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        http.stop(0);
        flight.close();
        cut();
        client.close();
    }
}
