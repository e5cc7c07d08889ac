package io.stele.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP proxy before an S3 server that fails as networks and S3 itself do. Each connection is
 * good for one request. Safe for use by many threads.
 */
public final class FaultProxy implements AutoCloseable {
    /** Delayed requests that may wait for {@link #deliverLate}; more get lost. */
    private static final int MAX_LATE = 256;

    private static final Fault NONE = new Fault.CutsBody(Integer.MAX_VALUE);

    private final int upstreamPort;
    private final Faults faults;
    private final LoopbackServer server;
    private final List<Planned> planned = new ArrayList<>(); // guarded by itself
    private final List<Request> seen = new ArrayList<>(); // guarded by itself
    private final List<Request> late = new ArrayList<>(); // guarded by itself
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Chooses the fault of each request. */
    @FunctionalInterface
    public interface Faults {
        /** The fault of this request; empty: it is passed on unchanged. */
        Optional<Fault> next(Request request);
    }

    /** A fault of one request. */
    public sealed interface Fault {
        /** It is answered with an error and goes nowhere. */
        record Answers(int status, String code) implements Fault {}

        /** It takes place, and an error is the answer. */
        record AnswersAfterwards(int status, String code) implements Fault {}

        /** It takes place, and the connection ends without an answer. */
        record LosesAnswer() implements Fault {}

        /** It takes place, and the connection stays silent. */
        record Stalls() implements Fault {}

        /** The answer ends after {@code bytes} bytes of its body. */
        record CutsBody(int bytes) implements Fault {}

        /** A byte of the answer's body is another one when it comes. */
        record DamagesBody(int at) implements Fault {}

        /** The connection ends; the request takes place at {@link #deliverLate}. */
        record Delays() implements Fault {}

        /** It takes place after {@code millis} milliseconds. */
        record Waits(int millis) implements Fault {}

        /** The connection ends at once, and nothing takes place. */
        record Refuses() implements Fault {}
    }

    /** One request: its head as it came, and its body. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Request(String head, byte[] body) {
        /** {@code PUT /bucket/key?query}. */
        public String line() {
            return head.substring(0, head.indexOf(" HTTP/"));
        }

        public boolean has(String header) {
            return head.toLowerCase(Locale.ROOT).contains("\r\n" + header + "\r\n");
        }
    }

    private record Planned(Predicate<Request> requests, Fault fault) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Answer(byte[] bytes, int bodyAt) {}

    /** One that does what was planned, and remembers all requests: for tests with few of them. */
    public FaultProxy(int upstreamPort) throws IOException {
        this.upstreamPort = upstreamPort;
        this.faults =
                request -> {
                    synchronized (seen) {
                        seen.add(request);
                    }
                    return take(request);
                };
        this.server = LoopbackServer.start(this::serve);
    }

    /** A proxy that calls {@code faults} for each request, and records none. */
    public FaultProxy(int upstreamPort, Faults faults) throws IOException {
        this.upstreamPort = upstreamPort;
        this.faults = requireNonNull(faults, "faults is null");
        this.server = LoopbackServer.start(this::serve);
    }

    /** The loopback port on which it listens. */
    public int port() {
        return server.port();
    }

    /** The next requests like this meet these faults, one each. */
    public void plan(Predicate<Request> requests, Fault... faults) {
        synchronized (planned) {
            for (Fault fault : faults) {
                planned.add(new Planned(requests, fault));
            }
        }
    }

    /** Whether all that was planned has happened. */
    public boolean allMet() {
        synchronized (planned) {
            return planned.isEmpty();
        }
    }

    /** The requests so far like this. */
    public List<Request> seen(Predicate<Request> requests) {
        synchronized (seen) {
            return seen.stream().filter(requests).toList();
        }
    }

    /** Sends the delayed requests now; returns the first lines of the answers. */
    public List<String> deliverLate() throws IOException {
        List<Request> delivered;
        synchronized (late) {
            delivered = List.copyOf(late);
            late.clear();
        }
        List<String> statuses = new ArrayList<>();
        for (Request request : delivered) {
            statuses.add(deliver(request));
        }
        return statuses;
    }

    /** The first line of the answer, which is missing where the server ends the connection. */
    private String deliver(Request request) throws IOException {
        try {
            String answer = new String(forward(request).bytes(), ISO_8859_1);
            int end = answer.indexOf("\r\n");
            return end < 0 ? answer : answer.substring(0, end);
        } catch (SocketException ended) {
            // As it does with a request that it refuses before it has read the body. What became of
            // it is as unknown to the client, which has long given it up
            return "no answer: " + ended.getMessage();
        }
    }

    private void serve(Socket client) throws IOException, InterruptedException {
        Request request = read(client);
        if (request != null) {
            answer(client.getOutputStream(), request, faults.next(request).orElse(NONE));
        }
    }

    private Optional<Fault> take(Request request) {
        synchronized (planned) {
            for (Iterator<Planned> next = planned.iterator(); next.hasNext(); ) {
                Planned plan = next.next();
                if (plan.requests().test(request)) {
                    next.remove();
                    return Optional.of(plan.fault());
                }
            }
            return Optional.empty();
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
                    if (late.size() < MAX_LATE) {
                        late.add(request);
                    }
                }
            }
            case Fault.Waits(int millis) -> {
                TimeUnit.MILLISECONDS.sleep(millis);
                client.write(forward(request).bytes());
            }
            case Fault.Refuses _ -> {}
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
            return new Answer(bytes, bodyAt(bytes));
        }
    }

    private static int bodyAt(byte[] answer) {
        for (int at = 0; at + 4 <= answer.length; at++) {
            if (answer[at] == '\r'
                    && answer[at + 1] == '\n'
                    && answer[at + 2] == '\r'
                    && answer[at + 3] == '\n') {
                return at + 4;
            }
        }
        return answer.length;
    }

    /** Reads one request; its connection to the server ends after it. Null if there is none. */
    private static @Nullable Request read(Socket client) throws IOException {
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
