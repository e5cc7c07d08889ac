package io.stele.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP proxy on a loopback port before an S3 server, which gives requests the latency of a real
 * object store: reads (GET) get that of {@link InjectedDelays}, all other requests get none.
 * Requests are passed on unchanged, so signatures stay valid.
 *
 * <p>Safe for use by many threads. A connection to it has one of its own to the server.
 */
public final class DelayingS3Proxy implements AutoCloseable {
    /** Bodies are passed on in pieces of this size, each at its time. */
    private static final int PIECE_BYTES = 256 << 10;

    private static final double MIB = 1 << 20;

    /** Requests stored until they are taken: 300 bytes each. */
    private static final int MAX_SPANS = 20_000;

    /** Some times what a start of a sidecar on a busy machine takes. */
    private static final long MAX_IDLE_WAIT_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final int upstreamPort;
    private final LoopbackServer server;
    private final ConcurrentHashMap<String, Integer> attempts = new ConcurrentHashMap<>();
    private final RequestCounts requests = new RequestCounts();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong stragglers = new AtomicLong();
    private final AtomicLong sentBytes = new AtomicLong();
    private final BlockingQueue<RequestSpan> spans = new LinkedBlockingQueue<>(MAX_SPANS);
    private final RoundGate gate = new RoundGate();
    private volatile InjectedDelays delays;

    private DelayingS3Proxy(int upstreamPort, InjectedDelays delays) throws IOException {
        this.upstreamPort = upstreamPort;
        this.delays = requireNonNull(delays, "delays is null");
        this.server = LoopbackServer.start(this::serve);
    }

    /** Starts one before the server at a loopback port. */
    public static DelayingS3Proxy start(int upstreamPort, InjectedDelays delays)
            throws IOException {
        return new DelayingS3Proxy(upstreamPort, delays);
    }

    /** The loopback port on which it listens. */
    public int port() {
        return server.port();
    }

    /** The {@code s3.*} properties for reaching the bucket of a server through this proxy. */
    public Map<String, String> properties(VersityGateway gateway) {
        Map<String, String> properties = new HashMap<>(gateway.properties());
        properties.put("s3.region", "us-east-1");
        properties.put("s3.endpoint", "http://127.0.0.1:" + port());
        return properties;
    }

    /** From now on requests take this long, and every target counts as new. */
    public void newRound(InjectedDelays newDelays) {
        delays = requireNonNull(newDelays, "newDelays is null");
        attempts.clear();
        reads.set(0);
        stragglers.set(0);
        sentBytes.set(0);
        spans.clear();
    }

    /**
     * From now on every request is held until no other has come for so long, and then all are
     * answered: so those that do not wait for each other are in flight together, however slow the
     * machine is. 0: nothing is held.
     */
    public void hold(long quietNanos) {
        gate.hold(quietNanos);
    }

    /**
     * Waits until no request has been there for so long: what reads in the background is done.
     *
     * @throws IOException if that does not happen within two minutes
     */
    public void awaitIdle(long idleNanos) throws IOException {
        gate.awaitIdle(idleNanos, MAX_IDLE_WAIT_NANOS);
    }

    /**
     * Requests that ended since the last call, in that order; those beyond {@value #MAX_SPANS} are
     * left out.
     */
    public List<RequestSpan> takeSpans() {
        List<RequestSpan> taken = new ArrayList<>();
        spans.drainTo(taken);
        return taken;
    }

    /** All requests since it was started. */
    public RequestCounts requests() {
        return requests;
    }

    /** Reads in this round. */
    public long reads() {
        return reads.get();
    }

    /** Reads in this round that were stragglers. */
    public long stragglers() {
        return stragglers.get();
    }

    /** Bytes of bodies of answers to reads that were sent in this round. */
    public long sentBytes() {
        return sentBytes.get();
    }

    private void serve(Socket client) throws IOException {
        try (Connection connection = new Connection(client)) {
            while (connection.passOne()) {
                // one request after the other
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    /** A client and its connection to the server. Confined to one thread. */
    private final class Connection implements AutoCloseable {
        private final InputStream fromClient;
        private final OutputStream toClient;
        private final byte[] piece = new byte[PIECE_BYTES];
        private @Nullable Socket upstream;
        private InputStream fromServer = InputStream.nullInputStream();

        Connection(Socket client) throws IOException {
            client.setTcpNoDelay(true);
            fromClient = new BufferedInputStream(client.getInputStream());
            toClient = client.getOutputStream();
        }

        /** Passes on one request and its answer; false if there are no more. */
        boolean passOne() throws IOException {
            Optional<HttpHead> read = HttpHead.read(fromClient);
            if (read.isEmpty()) {
                return false;
            }
            HttpHead request = read.get();
            requests.add(request);
            long start = System.nanoTime();
            gate.enter();
            try {
                try {
                    return pass(request, start);
                } finally {
                    spans.offer(RequestSpan.of(request, start, System.nanoTime()));
                }
            } finally {
                gate.leave();
            }
        }

        private boolean pass(HttpHead request, long start) throws IOException {
            // This answer comes faster from here than from the server, which does not get the
            // header then
            if (request.find("expect").isPresent()) {
                toClient.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
            }
            HttpHead answer = send(request.without("expect"));
            boolean isRead = request.isMethod("GET");
            Pace pace = isRead ? pace(request, start) : new Pace(start, 0, 0);
            pace.awaitFirstByte();
            toClient.write(answer.bytes());
            if (!request.isMethod("HEAD") && hasBody(answer)) {
                passBody(answer, pace, isRead);
            }
            toClient.flush();
            if (answer.isLast() || !hasEnd(request, answer)) {
                closeUpstream();
                return false;
            }
            return !request.isLast();
        }

        private static boolean hasBody(HttpHead answer) throws IOException {
            String status = answer.secondWord();
            return !status.startsWith("1") && !status.equals("204") && !status.equals("304");
        }

        /** Whether the end of an answer is seen in it, and not only by that of the connection. */
        private static boolean hasEnd(HttpHead request, HttpHead answer) throws IOException {
            return request.isMethod("HEAD")
                    || !hasBody(answer)
                    || answer.isChunked()
                    || answer.find("content-length").isPresent();
        }

        private Pace pace(HttpHead request, long start) throws IOException {
            // Some clients add a query with the name of the operation
            String path = request.secondWord().split("\\?", 2)[0];
            String target = path + " " + request.find("range").orElse("");
            int attempt = attempts.merge(target, 1, Integer::sum) - 1;
            InjectedDelays present = delays;
            reads.incrementAndGet();
            if (present.isStraggler(target, attempt)) {
                stragglers.incrementAndGet();
            }
            double factor = present.factor(target, attempt);
            return new Pace(
                    start,
                    (long) (present.firstByteNanos() * factor),
                    present.nanosPerMiB() * factor / MIB);
        }

        private HttpHead send(HttpHead request) throws IOException {
            boolean reused = upstream != null;
            boolean repeatable = request.isMethod("GET") || request.isMethod("HEAD");
            try {
                return sendOnce(request);
            } catch (IOException e) {
                closeUpstream();
                if (!reused || !repeatable) {
                    throw e;
                }
                return sendOnce(request); // the server had closed the connection that was idle
            }
        }

        private HttpHead sendOnce(HttpHead request) throws IOException {
            Socket socket = upstream;
            if (socket == null) {
                socket = new Socket(InetAddress.getLoopbackAddress(), upstreamPort);
                socket.setTcpNoDelay(true);
                upstream = socket;
                fromServer = new BufferedInputStream(socket.getInputStream(), PIECE_BYTES);
            }
            OutputStream toServer = socket.getOutputStream();
            toServer.write(request.bytes());
            Pace atOnce = new Pace(0, 0, 0);
            if (request.isChunked()) {
                passChunks(fromClient, toServer, atOnce, false);
            } else {
                pass(fromClient, toServer, request.contentLength(), atOnce, false);
            }
            toServer.flush();
            HttpHead answer;
            do {
                answer =
                        HttpHead.read(fromServer)
                                .orElseThrow(() -> new EOFException("The server said nothing"));
            } while (answer.secondWord().startsWith("1"));
            return answer;
        }

        private void passBody(HttpHead answer, Pace pace, boolean counts) throws IOException {
            if (answer.isChunked()) {
                passChunks(fromServer, toClient, pace, counts);
            } else if (answer.find("content-length").isPresent()) {
                pass(fromServer, toClient, answer.contentLength(), pace, counts);
            } else {
                for (int count; (count = fromServer.read(piece)) >= 0; ) {
                    emit(toClient, count, pace, counts);
                }
            }
        }

        private void passChunks(InputStream in, OutputStream out, Pace pace, boolean counts)
                throws IOException {
            while (true) {
                String size = line(in);
                out.write((size + "\r\n").getBytes(ISO_8859_1));
                int extension = size.indexOf(';');
                long length =
                        Long.parseLong(
                                (extension < 0 ? size : size.substring(0, extension)).strip(), 16);
                if (length == 0) {
                    String trailer;
                    do {
                        trailer = line(in);
                        out.write((trailer + "\r\n").getBytes(ISO_8859_1));
                    } while (!trailer.isEmpty());
                    return;
                }
                pass(in, out, length, pace, counts);
                out.write((line(in) + "\r\n").getBytes(ISO_8859_1));
            }
        }

        private static String line(InputStream in) throws IOException {
            StringBuilder line = new StringBuilder();
            for (int next; (next = in.read()) != '\n'; ) {
                if (next < 0 || line.length() > PIECE_BYTES) {
                    throw new EOFException("Expected the end of a line, found " + line);
                }
                line.append((char) next);
            }
            return line.toString().stripTrailing();
        }

        private void pass(InputStream in, OutputStream out, long length, Pace pace, boolean counts)
                throws IOException {
            for (long left = length; left > 0; ) {
                int count = in.readNBytes(piece, 0, (int) Math.min(piece.length, left));
                if (count == 0) {
                    throw new EOFException("Expected %d more bytes".formatted(left));
                }
                emit(out, count, pace, counts);
                left -= count;
            }
        }

        private void emit(OutputStream out, int count, Pace pace, boolean counts)
                throws IOException {
            pace.await(count);
            if (counts) {
                sentBytes.addAndGet(count); // before their reader can look
            }
            try {
                out.write(piece, 0, count);
            } catch (IOException e) {
                if (counts) {
                    sentBytes.addAndGet(-count);
                }
                throw e;
            }
        }

        private void closeUpstream() throws IOException {
            Socket open = upstream;
            upstream = null;
            if (open != null) {
                open.close();
            }
        }

        @Override
        public void close() throws IOException {
            closeUpstream();
        }
    }

    /** When which byte of an answer may go. Confined to one thread. */
    private static final class Pace {
        private final long firstByteAt;
        private final double nanosPerByte;
        private long bytes;

        Pace(long start, long firstByteNanos, double nanosPerByte) {
            this.firstByteAt = start + firstByteNanos;
            this.nanosPerByte = nanosPerByte;
            this.bytes = 0;
        }

        void awaitFirstByte() throws InterruptedIOException {
            awaitUntil(firstByteAt);
        }

        /** Waits until {@code count} more bytes may be sent. */
        void await(int count) throws InterruptedIOException {
            bytes += count;
            if (nanosPerByte > 0) {
                awaitUntil(firstByteAt + (long) (bytes * nanosPerByte));
            }
        }

        private static void awaitUntil(long time) throws InterruptedIOException {
            try {
                long left = time - System.nanoTime();
                if (left > 0) {
                    TimeUnit.NANOSECONDS.sleep(left);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("The proxy is closed");
            }
        }
    }
}
