package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import io.airlift.log.Logger;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FramePayload;
import io.stele.protocol.wire.FrameReader;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.Hello;
import io.stele.protocol.wire.HelloReply;
import io.stele.protocol.wire.WireLimits;
import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.engine.ArrivalPace;
import io.stele.sidecar.engine.PacedInput;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one client to the framed server, with its login, threads, pipelined requests
 * and replies. Its own virtual thread reads requests (a platform thread, if it opens tables), a
 * second one writes replies. The work in between is asynchronous, so requests are pipelined, and
 * replies are sent as they complete.
 *
 * <p>Invariant: every request takes one permit of the connection, and its bytes of the server
 * before they are read, and returns both once its reply is flushed or the connection is gone.
 */
final class FramedConnection implements AutoCloseable {
    private static final Logger log = Logger.get(FramedConnection.class);

    private final Socket socket;
    private final FramedServerContext context;
    private final Semaphore permits;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ArrivalPace pace = new ArrivalPace();
    private final FrameReader reader;
    private final RequestReceiver receiver;
    private final ResponseQueue responses;
    private boolean welcomed; // by the thread that serves
    private volatile boolean draining;
    private volatile String client = "unauthenticated";
    private volatile Optional<QueryIdentity> identity = Optional.empty();
    private volatile int version = WireLimits.MIN_VERSION;

    FramedConnection(Socket socket, FramedServerContext context) throws IOException {
        this.socket = requireNonNull(socket, "socket is null");
        this.context = requireNonNull(context, "context is null");
        this.permits = new Semaphore(context.maxPendingRequests());
        this.reader =
                new FrameReader(
                        new PacedInput(socket.getInputStream(), pace), WireLimits.MAX_HELLO_BYTES);
        this.receiver = new RequestReceiver(reader, context.pending(), context.writeRooms(), pace);
        this.responses =
                new ResponseQueue(new FrameWriter(socket.getOutputStream()), System::nanoTime);
    }

    /** The query's identity from the client's HELLO. */
    QueryIdentity identity() {
        return identity.orElse(QueryIdentity.NONE);
    }

    /** The version of the protocol that the client and this sidecar speak. */
    int version() {
        return version;
    }

    /** Whether the client supports a waiting time in ERROR. */
    boolean knowsWaiting() {
        return identity.isPresent();
    }

    /** Whether the client can no longer read a reply. */
    boolean isClosed() {
        return closed.get();
    }

    /** Serves the client until it leaves, breaks the protocol or the server closes. */
    void serve() {
        // Until the login has succeeded, nothing that the client does extends its time, not even
        // the end of the connection
        PendingLogins.Login login = context.logins().begin(this::giveUp);
        Thread writer = context.threads().newThread(this::writeReplies);
        writer.start();
        try {
            if (welcome()) {
                login.close();
                serveRequests(false);
            }
            // Everything accepted is answered before the connection ends.
            permits.acquire(context.maxPendingRequests());
            permits.release(context.maxPendingRequests());
        } catch (SteleException e) {
            // The stream cannot be read any further: send the reason, then end.
            reply(0, e);
        } catch (SocketException e) {
            log.debug(e, "Connection of %s ended", this);
        } catch (IOException e) {
            log.debug(e, "Connection of %s failed", this);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            responses.close();
            join(writer);
            endInput();
            close();
            login.close();
            leave();
        }
    }

    private void giveUp(SteleException reason) {
        log.debug("Closing the connection of %s: %s", this, reason.getMessage());
        close();
    }

    private void leave() {
        if (welcomed) {
            context.metrics().framedConnectionClosed();
            context.places().release();
        }
    }

    private void endInput() {
        if (closed.get()) {
            return;
        }
        try {
            LingeringClose.endInput(socket);
        } catch (IOException e) {
            log.debug(e, "%s did not end its side", this);
        }
    }

    private boolean welcome() throws IOException {
        Frame frame = reader.read();
        if (frame == null) {
            return false;
        }
        if (frame.type() != FrameType.HELLO) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected HELLO as the first frame, found " + frame.type());
        }
        Hello hello = Hello.decode(frame);
        if (hello.version() < 1) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a protocol version from 1, found " + hello.version());
        }
        try {
            client =
                    context.authenticator().authenticateToken(hello.token())
                            + " ("
                            + hello.client()
                            + ")";
        } catch (SteleException e) {
            reply(frame.requestId(), e);
            return false;
        }
        identity = hello.identity();
        version = Math.min(hello.version(), WireLimits.VERSION);
        if (!context.places().tryAcquire()) {
            context.metrics().refusedAsBusy();
            reply(
                    frame.requestId(),
                    new SteleException(
                            ErrorCode.BUSY,
                            "The sidecar serves "
                                    + context.maxConnections()
                                    + " connections already (stele.client.max-connections)"));
            return false;
        }
        welcomed = true;
        context.metrics().framedConnectionOpened();
        reader.setMaxFrameBytes(WireLimits.MAX_FRAME_BYTES);
        HelloReply answer =
                new HelloReply(
                        version,
                        context.nodeId(),
                        WireLimits.MAX_FRAME_BYTES,
                        context.maxPendingRequests(),
                        WireLimits.MAX_UNANSWERED_BATCHES);
        responses.add(
                FrameType.HELLO_REPLY,
                frame.requestId(),
                FramePayload.of(answer.encode()),
                () -> {});
        return true;
    }

    /**
     * @param isOwnThread whether this is a platform thread, not a virtual one
     */
    private void serveRequests(boolean isOwnThread) throws IOException, InterruptedException {
        while (true) {
            permits.acquire();
            @Nullable Received received = null;
            try {
                received = receiver.receive();
                if (received == null) {
                    return;
                }
            } finally {
                if (received == null) {
                    permits.release();
                }
            }
            Request request = new Request(this, received);
            if (draining) {
                // Not answered: the client sends it again to the next process.
                release(request);
                return;
            }
            context.handler().handle(request, reader.hasBuffered());
            if (received.frame().type() == FrameType.OPEN_TABLE
                    && !isOwnThread
                    && context.ownThreads().tryAcquire()) {
                serveRequestsInOwnThread();
                return;
            }
        }
    }

    /**
     * A platform thread serves the next requests too, because queries wait for them. The system
     * wakes it directly, without a detour over the threads that run virtual ones.
     */
    private void serveRequestsInOwnThread() throws IOException, InterruptedException {
        FutureTask<@Nullable Void> rest =
                new FutureTask<>(
                        () -> {
                            try {
                                serveRequests(true);
                                return null;
                            } finally {
                                context.ownThreads().release();
                            }
                        });
        Thread.ofPlatform().daemon().name("framed-open").start(rest);
        try {
            rest.get();
        } catch (ExecutionException e) {
            Throwable cause = requireNonNull(e.getCause(), "cause is null");
            Throwables.throwIfInstanceOf(cause, IOException.class);
            Throwables.throwIfInstanceOf(cause, InterruptedException.class);
            Throwables.throwIfUnchecked(cause);
            throw new IllegalStateException(cause);
        }
    }

    private void writeReplies() {
        try {
            responses.writeAll();
        } catch (IOException | RuntimeException e) {
            log.debug(e, "Cannot write to %s", this);
            close();
        }
    }

    /** Adds the reply of a request; from any thread. */
    void reply(Request request, FrameType type, FramePayload payload, Runnable flushed) {
        responses.add(
                type,
                request.frame().requestId(),
                payload,
                () -> {
                    flushed.run();
                    release(request);
                });
    }

    /**
     * Adds the reply of a request on the thread that serves the requests, which waits until the
     * reply is written.
     */
    void replyHere(Request request, FrameType type, FramePayload payload, Runnable flushed) {
        try {
            responses.addAndWrite(
                    type,
                    request.frame().requestId(),
                    payload,
                    () -> {
                        flushed.run();
                        release(request);
                    });
        } catch (IOException e) {
            log.debug(e, "Cannot write to %s", this);
            close();
        }
    }

    /** Ends the connection without a reply, because the outcome of a request is not known. */
    void abandon(Request request) {
        release(request);
        close();
    }

    private void release(Request request) {
        request.release(context.pending());
        permits.release();
    }

    private void reply(int requestId, SteleException failure) {
        responses.add(
                FrameType.ERROR,
                requestId,
                FramePayload.of(ErrorReply.of(failure, knowsWaiting()).encode()),
                () -> {});
    }

    /** Takes no further requests, waits for the accepted ones, and closes. */
    void drain(long timeoutNanos) {
        draining = true;
        try {
            // The reader holds one permit while it waits for the next frame.
            if (permits.tryAcquire(
                    context.maxPendingRequests() - 1, timeoutNanos, TimeUnit.NANOSECONDS)) {
                permits.release(context.maxPendingRequests() - 1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    /** Closes the connection if its client receives no replies. */
    void closeIfStalled(long timeoutNanos) {
        if (responses.isStalled(timeoutNanos)) {
            log.warn("Closing the connection of %s: it takes no replies", this);
            close();
        }
    }

    /** Closes the connection if its client sends a request too slowly. */
    void closeIfSlow(long nowNanos) {
        if (pace.isTooSlow(nowNanos)) {
            log.warn(
                    "Closing the connection of %s: a request that it has begun does not come",
                    this);
            close();
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                socket.close();
            } catch (IOException e) {
                log.debug(e, "Cannot close the connection of %s", this);
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return client + " at " + socket.getRemoteSocketAddress();
    }
}
