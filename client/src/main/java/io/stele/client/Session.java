package io.stele.client;

import io.stele.protocol.SteleException;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameReader;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.HelloReply;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One authenticated socket of a client's connection, with the unanswered requests sent on it. The
 * sender thread writes, the reader thread reads; the lock of the map guards the pending requests.
 *
 * <p>Invariant: a request is in the map from before its first byte is written until its reply is
 * processed or the session is taken apart, except while the reader processes its reply; ids rise in
 * the order of sending.
 */
final class Session {
    private final Socket socket;
    private final FrameReader reader;
    private final FrameWriter writer;
    private final HelloReply greeting;
    private final TreeMap<Integer, Request> pending = new TreeMap<>();
    private int nextRequestId = 1;
    private boolean takenApart;
    private boolean takingReply;
    private volatile @Nullable Exception broken;
    private volatile boolean answered;

    Session(Socket socket, FrameReader reader, FrameWriter writer, HelloReply greeting) {
        this.socket = socket;
        this.reader = reader;
        this.writer = writer;
        this.greeting = greeting;
    }

    HelloReply greeting() {
        return greeting;
    }

    /** The cause that broke the session; null while the session works. */
    @Nullable Exception broken() {
        return broken;
    }

    /**
     * Whether any request was answered; a sidecar that only greets and closes the socket is still
     * unavailable.
     */
    boolean answered() {
        return answered;
    }

    int pendingCount() {
        synchronized (pending) {
            return pending.size();
        }
    }

    /** Sends a request, at the latest with the next {@link #flush}. */
    void send(Request request, long nowNanos) throws IOException {
        int requestId = nextRequestId++;
        request.sentAt(nowNanos);
        synchronized (pending) {
            pending.put(requestId, request);
        }
        checkId(requestId);
        request.write(writer, requestId);
    }

    /** Fails when the ids are used up, so that the next socket starts again at the first id. */
    private static void checkId(int requestId) throws IOException {
        if (requestId == Integer.MAX_VALUE) {
            throw new IOException("All request ids of this connection are used up");
        }
    }

    void flush() throws IOException {
        writer.flush();
    }

    /**
     * Sends one request and waits for its reply, in a session without a reader thread. After an
     * IOException the session must not be used any more.
     *
     * @throws IOException if the session broke, or the received frame is no reply
     * @throws SteleException the sidecar's error, or if the request is too large to send
     */
    Frame exchange(FrameType type, FrameType replyType, byte[] payload, Duration timeout)
            throws IOException {
        int requestId = nextRequestId++;
        checkId(requestId);
        setTimeout(timeout);
        writer.write(type, requestId, payload);
        writer.flush();
        Frame frame;
        Optional<ErrorReply> error;
        try {
            frame = read();
            error =
                    frame.type() == FrameType.ERROR
                            ? Optional.of(ErrorReply.decode(frame))
                            : Optional.empty();
        } catch (SteleException malformed) {
            throw new IOException(malformed.getMessage(), malformed);
        }
        if ((error.isEmpty() && frame.type() != replyType) || frame.requestId() != requestId) {
            throw new IOException(
                    "Expected a %s frame to answer request %d, found %s of request %d"
                            .formatted(replyType, requestId, frame.type(), frame.requestId()));
        }
        if (error.isPresent()) {
            throw error.get().toException();
        }
        return frame;
    }

    /**
     * Receives replies until the session breaks; {@code afterReplies} runs when no more bytes are
     * buffered.
     */
    void readReplies(Duration answerTimeout, LongSupplier ticker, Runnable afterReplies) {
        try {
            setTimeout(answerTimeout);
            while (broken == null) {
                Frame frame = readUnlessIdle(answerTimeout, ticker);
                if (frame == null) {
                    continue;
                }
                if (!take(frame)) {
                    return;
                }
                if (!reader.hasBuffered()) {
                    afterReplies.run();
                }
            }
        } catch (IOException | RuntimeException e) {
            fail(e);
        } catch (Error e) { // without the reader, pending requests would never end
            fail(new IOException("Cannot take replies: " + e, e));
        } finally {
            afterReplies.run();
        }
    }

    private @Nullable Frame readUnlessIdle(Duration answerTimeout, LongSupplier ticker)
            throws IOException {
        try {
            return read();
        } catch (SocketTimeoutException e) {
            if (oldestAgeNanos(ticker.getAsLong()) < answerTimeout.toNanos()) {
                return null; // no reply is due: no request was sent, or only just now
            }
            throw new IOException(
                    "The sidecar has not answered for " + answerTimeout.toMillis() + " ms", e);
        }
    }

    private Frame read() throws IOException {
        Frame frame = reader.read();
        if (frame == null) {
            throw new EOFException("The sidecar closed the connection");
        }
        return frame;
    }

    private void setTimeout(Duration timeout) throws IOException {
        socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, timeout.toMillis()));
    }

    private long oldestAgeNanos(long nowNanos) {
        synchronized (pending) {
            for (Request oldest : pending.values()) {
                return nowNanos - oldest.sentNanos();
            }
            return 0;
        }
    }

    private boolean take(Frame frame) {
        Request request;
        synchronized (pending) {
            if (takenApart) {
                return false; // the request was sent on another session
            }
            request = pending.remove(frame.requestId());
            takingReply = request != null;
        }
        if (request == null) {
            fail(
                    new IOException(
                            "The sidecar answered request "
                                    + Integer.toUnsignedString(frame.requestId())
                                    + ", which is not pending, with "
                                    + frame.type()));
            return false;
        }
        boolean taken = false;
        try {
            taken = request.onReply(frame);
            if (taken) {
                answered = true;
            } else {
                fail(new IOException("The sidecar is not available"));
            }
        } finally {
            replyTaken(frame.requestId(), request, taken);
        }
        return taken;
    }

    private void replyTaken(int requestId, Request request, boolean taken) {
        synchronized (pending) {
            try {
                if (!taken) {
                    pending.put(requestId, request);
                }
            } finally {
                takingReply = false;
                pending.notifyAll();
            }
        }
    }

    /**
     * Marks the session as broken and closes its socket, which ends both threads' calls. The first
     * cause stays.
     */
    void fail(Exception cause) {
        if (broken == null) {
            broken = cause;
        }
        try {
            socket.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /**
     * Removes and returns all unanswered requests in the order of sending; later replies are
     * ignored.
     */
    List<Request> takeApart() {
        synchronized (pending) {
            takenApart = true;
            boolean interrupted = false;
            while (takingReply) {
                try {
                    pending.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            List<Request> unanswered = new ArrayList<>(pending.values());
            pending.clear();
            return unanswered;
        }
    }
}
