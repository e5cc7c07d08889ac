package io.stele.storage.objectstore.s3;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stele.testing.LoopbackServer;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/**
 * An HTTP proxy before an S3 server that fails as networks and S3 itself do. Each connection is
 * good for one request. Safe for use by many threads.
 */
final class FaultProxy implements AutoCloseable {
    private final int upstreamPort;
    private final LoopbackServer server;
    private final List<Planned> planned = new ArrayList<>(); // guarded by itself
    private final List<Request> seen = new ArrayList<>(); // guarded by itself
    private final List<Request> late = new ArrayList<>(); // guarded by itself
    private final CountDownLatch closed = new CountDownLatch(1);

    /** What happens to one request. */
    sealed interface Fault {
        /** It is answered with an error and goes nowhere. */
        record Answers(int status, String code) implements Fault {}

        /** It takes place, and an error is the answer. */
        record AnswersAfterwards(int status, String code) implements Fault {}

        /** It takes place, and the connection ends without an answer. */
        record LosesAnswer() implements Fault {}

        /** It takes place, and the connection stays silent. */
        record Stalls() implements Fault {}

        /** The answer ends after so many bytes of its body. */
        record CutsBody(int bytes) implements Fault {}

        /** A byte of the answer's body is another one when it comes. */
        record DamagesBody(int at) implements Fault {}

        /** The connection ends; the request takes place at {@link #deliverLate}. */
        record Delays() implements Fault {}
    }

    /** One request: its head as it came, and its body. */
    record Request(String head, byte[] body) {
        /** {@code PUT /bucket/key?query}. */
        String line() {
            return head.substring(0, head.indexOf(" HTTP/"));
        }

        boolean has(String header) {
            return head.toLowerCase(Locale.ROOT).contains("\r\n" + header + "\r\n");
        }
    }

    private record Planned(Predicate<Request> requests, Fault fault) {}

    private record Answer(byte[] bytes, int bodyAt) {}

    FaultProxy(int upstreamPort) throws IOException {
        this.upstreamPort = upstreamPort;
        this.server = LoopbackServer.start(this::serve);
    }

    int port() {
        return server.port();
    }

    /** The next requests like this meet these faults, one each. */
    void plan(Predicate<Request> requests, Fault... faults) {
        synchronized (planned) {
            for (Fault fault : faults) {
                planned.add(new Planned(requests, fault));
            }
        }
    }

    /** Whether all that was planned has happened. */
    boolean allMet() {
        synchronized (planned) {
            return planned.isEmpty();
        }
    }

    /** The requests so far like this. */
    List<Request> seen(Predicate<Request> requests) {
        synchronized (seen) {
            return seen.stream().filter(requests).toList();
        }
    }

    /** Lets the delayed requests take place now; returns the first lines of the answers. */
    List<String> deliverLate() throws IOException {
        List<Request> delivered;
        synchronized (late) {
            delivered = List.copyOf(late);
            late.clear();
        }
        List<String> statuses = new ArrayList<>();
        for (Request request : delivered) {
            String answer = new String(forward(request).bytes(), ISO_8859_1);
            statuses.add(answer.substring(0, answer.indexOf("\r\n")));
        }
        return statuses;
    }

    private void serve(Socket client) throws IOException, InterruptedException {
        Request request = read(client);
        if (request != null) {
            synchronized (seen) {
                seen.add(request);
            }
            answer(client.getOutputStream(), request, take(request));
        }
    }

    private Fault take(Request request) {
        synchronized (planned) {
            for (Iterator<Planned> next = planned.iterator(); next.hasNext(); ) {
                Planned plan = next.next();
                if (plan.requests().test(request)) {
                    next.remove();
                    return plan.fault();
                }
            }
            return new Fault.CutsBody(Integer.MAX_VALUE);
        }
    }

    private void answer(OutputStream client, Request request, Fault fault)
            throws IOException, InterruptedException {
        switch (fault) {
            case Fault.Answers(int status, String code) -> client.write(error(status, code));
            case Fault.AnswersAfterwards(int status, String code) -> {
                forward(request);
                client.write(error(status, code));
            }
            case Fault.LosesAnswer _ -> forward(request);
            case Fault.Stalls _ -> {
                forward(request);
                closed.await();
            }
            case Fault.CutsBody(int bytes) -> {
                Answer answer = forward(request);
                int end = (int) Math.min(answer.bytes().length, (long) answer.bodyAt() + bytes);
                client.write(answer.bytes(), 0, end);
            }
            case Fault.DamagesBody(int at) -> {
                Answer answer = forward(request);
                answer.bytes()[answer.bodyAt() + at] ^= 1;
                client.write(answer.bytes());
            }
            case Fault.Delays _ -> {
                synchronized (late) {
                    late.add(request);
                }
            }
        }
    }

    private static byte[] error(int status, String code) {
        String body =
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>%s</Code><Message>injected</Message></Error>"
                        .formatted(code);
        return "HTTP/1.1 %d Injected\r\nContent-Type: application/xml\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(status, body.length(), body)
                .getBytes(ISO_8859_1);
    }

    private Answer forward(Request request) throws IOException {
        try (Socket upstream = new Socket(InetAddress.getLoopbackAddress(), upstreamPort)) {
            OutputStream out = upstream.getOutputStream();
            out.write(request.head().getBytes(ISO_8859_1));
            out.write(request.body());
            out.flush();
            byte[] bytes = upstream.getInputStream().readAllBytes();
            int bodyAt = new String(bytes, ISO_8859_1).indexOf("\r\n\r\n") + 4;
            return new Answer(bytes, bodyAt);
        }
    }

    /** Reads one request; its connection to the server ends after it. Null if there is none. */
    private static Request read(Socket client) throws IOException {
        InputStream in = client.getInputStream();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        for (int matched = 0; matched < 4; ) {
            int next = in.read();
            if (next < 0) {
                return null;
            }
            head.write(next);
            matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
        }
        List<String> lines =
                new ArrayList<>(Arrays.asList(head.toString(ISO_8859_1).strip().split("\r\n")));
        int length = 0;
        boolean expects = false;
        for (Iterator<String> next = lines.iterator(); next.hasNext(); ) {
            String line = next.next();
            String lower = line.toLowerCase(Locale.ROOT);
            if (lower.startsWith("transfer-encoding:")) {
                throw new IllegalStateException("Expected a Content-Length, found " + line);
            } else if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(line.indexOf(':') + 1).strip());
            } else if (lower.startsWith("expect:")) {
                expects = true;
                next.remove();
            } else if (lower.startsWith("connection:")) {
                next.remove();
            }
        }
        if (expects) {
            client.getOutputStream().write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
        }
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("The client ended its request early");
        }
        lines.add("Connection: close");
        return new Request(String.join("\r\n", lines) + "\r\n\r\n", body);
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        server.close();
    }
}
