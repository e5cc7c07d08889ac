package io.stele.protocol.client;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.QueryTag;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.auth.ClientTls;
import io.stele.protocol.auth.TokenSource;
import io.stele.protocol.wire.ActionCall;
import io.stele.protocol.wire.FrameType;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Runs actions of one sidecar that change nothing, over the framed protocol: each on a socket of
 * its own for as long as it takes, written and read by the thread that asks. So the sidecar is all
 * that has to be woken, and it wakes nobody else; over Flight a request goes through four threads
 * more, which is most of what a short one takes.
 *
 * <p>Sockets are kept for the next ones. A request whose kept socket turns out to be dead is sent
 * again on a new one: what changes nothing may be asked twice. Waiting for an answer cannot be
 * interrupted; it ends with the timeout. Thread-safe.
 */
public final class ActionClient implements AutoCloseable {
    /** Beyond, callers find another way: a thread of the sidecar waits for each. */
    private static final int MAX_SOCKETS = 32;

    /** Kept while nobody asks. */
    private static final int MAX_IDLE_SOCKETS = 8;

    private final Endpoint endpoint;
    private final SessionOpener opener;
    private final Duration timeout;
    private final Semaphore sockets = new Semaphore(MAX_SOCKETS);
    private final Deque<Session> idle = new ArrayDeque<>(); // guarded by itself
    private boolean closed; // guarded by idle

    /**
     * @param name who is calling, for the sidecar's logs
     * @param timeout of connecting, and of an answer
     */
    public ActionClient(
            Endpoint endpoint,
            Optional<ClientTls> tls,
            TokenSource tokens,
            String name,
            Duration timeout) {
        this.endpoint = requireNonNull(endpoint, "endpoint is null");
        this.timeout = requireNonNull(timeout, "timeout is null");
        this.opener = new SessionOpener(tokens, tls, name, QueryTag.NONE, timeout);
    }

    /** Where the sidecar is. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /**
     * The result of an action, or nothing if so many are under way that this one was not begun.
     *
     * @throws SteleException what the sidecar says, or UNAVAILABLE: it cannot be reached, or does
     *     not answer in time
     */
    public <T> Optional<T> run(String action, Object request, Class<T> resultType) {
        if (!sockets.tryAcquire()) {
            return Optional.empty();
        }
        try {
            byte[] call = new ActionCall(action, ApiJson.write(request)).encode();
            return Optional.of(ApiJson.read(exchange(call), resultType));
        } catch (IOException e) {
            throw new SteleException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot reach the sidecar at %s: %s".formatted(endpoint, e.getMessage()),
                    e);
        } finally {
            sockets.release();
        }
    }

    private byte[] exchange(byte[] call) throws IOException {
        Optional<Session> kept = takeIdle();
        if (kept.isPresent()) {
            try {
                return exchange(kept.get(), call);
            } catch (SocketTimeoutException late) {
                throw late; // it is there, and would be as late on another socket
            } catch (IOException e) {
                // The others are as old, and a sidecar that was restarted knows none of them
                closeIdle();
            }
        }
        return exchange(opener.open(endpoint), call);
    }

    private byte[] exchange(Session session, byte[] call) throws IOException {
        try {
            byte[] result =
                    session.exchange(FrameType.ACTION, FrameType.ACTION_REPLY, call, timeout)
                            .payload();
            keep(session);
            return result;
        } catch (SteleException refused) {
            keep(session); // an answer as well
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

    /** Closes the sockets that are not in use; those in use close when they are done. */
    @Override
    public void close() {
        synchronized (idle) {
            closed = true;
        }
        closeIdle();
    }
}
