package io.stele.client;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.client.auth.ClientTls;
import io.stele.client.auth.TokenSource;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.wire.ActionCall;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.OpenTable;
import io.stele.protocol.wire.OpenTableResult;
import io.stele.protocol.wire.WireLimits;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A low-latency client of one sidecar's repeatable actions, such as opening a table, over the
 * framed protocol; it blocks its callers. Each action uses a socket exclusively until its reply is
 * read. The calling thread writes the request and reads the reply itself, so only the sidecar's
 * thread for the socket must be woken. That thread runs {@link SnapshotActions#OPEN_TABLE} itself;
 * other actions run on another thread. Over Flight, a request passes through four more threads,
 * which takes most of the time of a short request.
 *
 * <p>Idle sockets are pooled for later actions. A request whose pooled socket turns out to be dead
 * is sent again on a new one. The wait for a reply cannot be interrupted; it ends with the timeout.
 * Thread-safe.
 */
public final class ActionClient implements AutoCloseable {
    /**
     * The most sockets, because a thread of the sidecar waits for each. Further callers use Flight.
     */
    private static final int MAX_SOCKETS = 32;

    /** 64 KiB: longer requests of transactions take longer anyway, and use Flight. */
    private static final int MAX_CHANGE_BYTES = 64 << 10;

    /** The most sockets in the pool while no action runs. */
    private static final int MAX_IDLE_SOCKETS = 8;

    private final Endpoint endpoint;
    private final SessionOpener opener;
    private final Duration timeout;
    private final Semaphore sockets = new Semaphore(MAX_SOCKETS);
    private final Deque<Session> idle = new ArrayDeque<>(); // guarded by itself
    private final AtomicLong losses = new AtomicLong();

    @GuardedBy("idle")
    private boolean closed;

    /**
     * @param name the name of the caller, for the sidecar's logs
     * @param timeout the limit for a connect, and for each reply
     */
    public ActionClient(
            Endpoint endpoint,
            Optional<ClientTls> tls,
            TokenSource tokens,
            String name,
            Duration timeout) {
        this.endpoint = requireNonNull(endpoint, "endpoint is null");
        this.timeout = requireNonNull(timeout, "timeout is null");
        this.opener = new SessionOpener(tokens, tls, name, QueryIdentity.NONE, timeout);
    }

    /** The address of the sidecar. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /**
     * The number of pooled sockets that were found dead. This usually means that the sidecar was
     * restarted, and that other connections to it may be dead, too.
     */
    public long losses() {
        return losses.get();
    }

    /**
     * Runs an action of the framed protocol. It may be sent twice, which is safe: it only reads, or
     * the repetition has no further effect, a transaction begun twice expires with its lease, and a
     * repeated commit is recognized. Empty if it was not sent: {@value #MAX_SOCKETS} actions are in
     * flight, the framed protocol or the sidecar's version of it does not have the action, or the
     * request of a transaction is too long.
     *
     * @throws SteleException the sidecar's error; or UNAVAILABLE if the sidecar cannot be reached,
     *     or does not reply in time
     */
    public <Q, R> Optional<R> run(Action<Q, R> action, Q request) {
        return switch (action.framing()) {
            case NONE -> Optional.empty();
            case READS ->
                    run(
                            new JsonCall<>(
                                    encode(action, request),
                                    WireLimits.MIN_VERSION,
                                    action.reply()));
            case TRANSACTIONS -> {
                byte[] call = encode(action, request);
                yield call.length > MAX_CHANGE_BYTES
                        ? Optional.empty()
                        : run(
                                new JsonCall<>(
                                        call, WireLimits.TRANSACTIONS_VERSION, action.reply()));
            }
        };
    }

    private static <Q> byte[] encode(Action<Q, ?> action, Q request) {
        return new ActionCall(action.name(), ApiJson.write(request)).encode();
    }

    /**
     * Runs {@link SnapshotActions#OPEN_TABLE} with its binary encoding; empty as in {@link
     * #run(Action, Object)}.
     */
    public Optional<OpenTableReply> openTable(OpenTableRequest request) {
        return run(new OpenTableCall(request));
    }

    private <T> Optional<T> run(Call<T> call) {
        if (!sockets.tryAcquire()) {
            return Optional.empty();
        }
        try {
            return exchange(call).map(call::read);
        } catch (IOException e) {
            throw new SteleException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot reach the sidecar at %s: %s".formatted(endpoint, e.getMessage()),
                    e);
        } finally {
            sockets.release();
        }
    }

    /** A request and the decoder of its reply; may be sent more than once. */
    private sealed interface Call<T> {
        /**
         * Sends the request and returns the reply.
         *
         * @throws IOException if the session broke, or the received frame is no reply
         * @throws SteleException if the sidecar refuses the request
         */
        Frame send(Session session, Duration timeout) throws IOException;

        /** Decodes the reply. */
        T read(Frame reply);

        /** The first version of the protocol that has the request. */
        int minVersion();
    }

    private record JsonCall<T>(byte[] call, int minVersion, Class<T> resultType)
            implements Call<T> {
        @Override
        public Frame send(Session session, Duration timeout) throws IOException {
            return session.exchange(FrameType.ACTION, FrameType.ACTION_REPLY, call, timeout);
        }

        @Override
        public T read(Frame reply) {
            return ApiJson.read(reply.payload(), resultType);
        }
    }

    /** An OPEN_TABLE request; it is sent as JSON to a sidecar of an older version. */
    private record OpenTableCall(OpenTableRequest request) implements Call<OpenTableReply> {
        @Override
        public Frame send(Session session, Duration timeout) throws IOException {
            if (session.greeting().version() >= WireLimits.OPEN_TABLE_VERSION) {
                return session.exchange(
                        FrameType.OPEN_TABLE,
                        FrameType.OPEN_TABLE_REPLY,
                        OpenTable.encode(request),
                        timeout);
            }
            byte[] call = encode(SnapshotActions.OPEN_TABLE, request);
            return session.exchange(FrameType.ACTION, FrameType.ACTION_REPLY, call, timeout);
        }

        @Override
        public int minVersion() {
            return WireLimits.MIN_VERSION;
        }

        @Override
        public OpenTableReply read(Frame reply) {
            return reply.type() == FrameType.OPEN_TABLE_REPLY
                    ? OpenTableResult.decode(reply)
                    : ApiJson.read(reply.payload(), OpenTableReply.class);
        }
    }

    private Optional<Frame> exchange(Call<?> call) throws IOException {
        Optional<Session> kept = takeIdle();
        if (kept.isPresent()) {
            try {
                return exchange(kept.get(), call);
            } catch (SocketTimeoutException late) {
                throw late; // the sidecar is there, and would be as late on another socket
            } catch (IOException e) {
                // The other idle sockets are as old, and a restarted sidecar has dropped all of
                // them
                losses.incrementAndGet();
                closeIdle();
            }
        }
        return exchange(opener.open(endpoint), call);
    }

    private Optional<Frame> exchange(Session session, Call<?> call) throws IOException {
        if (session.greeting().version() < call.minVersion()) {
            keep(session);
            return Optional.empty();
        }
        try {
            Frame reply = call.send(session, timeout);
            keep(session);
            return Optional.of(reply);
        } catch (SteleException refused) {
            keep(session); // an error is a reply, too
            throw refused;
        } catch (IOException e) {
            session.fail(e);
            throw e;
        }
    }

    private Optional<Session> takeIdle() {
        synchronized (idle) {
            return Optional.ofNullable(idle.pollFirst());
        }
    }

    private void keep(Session session) {
        synchronized (idle) {
            if (!closed && idle.size() < MAX_IDLE_SOCKETS) {
                idle.addFirst(session);
                return;
            }
        }
        end(session);
    }

    private void closeIdle() {
        List<Session> old;
        synchronized (idle) {
            old = new ArrayList<>(idle);
            idle.clear();
        }
        old.forEach(ActionClient::end);
    }

    private static void end(Session session) {
        session.fail(new IOException("The client is done with the connection"));
    }

    /** Closes the idle sockets; sockets in use are closed after their replies. */
    @Override
    public void close() {
        synchronized (idle) {
            closed = true;
        }
        closeIdle();
    }
}
