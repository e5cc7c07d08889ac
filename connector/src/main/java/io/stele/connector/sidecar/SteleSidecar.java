package io.stele.connector.sidecar;

import static io.stele.connector.error.SteleErrors.translate;
import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.inject.Inject;
import io.stele.client.ActionClient;
import io.stele.client.Endpoint;
import io.stele.client.auth.ClientTls;
import io.stele.client.auth.TokenSource;
import io.stele.client.flight.ActionStream;
import io.stele.client.flight.FlightClient;
import io.stele.client.flight.FlightPut;
import io.stele.client.flight.FlightStream;
import io.stele.connector.config.SteleConfig;
import io.stele.objectstore.encryption.Encryption.KeyFingerprint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.api.maintenance.RunJobRequest;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.flight.Ticket;
import jakarta.annotation.PreDestroy;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The client of this catalog's sidecar on one node: it finds the sidecar's ports, repeats requests,
 * and opens streams of rows. The ports are found through its HTTP address, again after every
 * failure to reach it, because a restarted sidecar may listen elsewhere. Requests that are safe to
 * repeat are repeated for as long as an outage may last; changes are repeated under an id. Every
 * failure is a Trino exception; a failure to reach the sidecar names the URI. Thread-safe.
 */
public final class SteleSidecar implements SidecarActions, AutoCloseable {
    /** A sidecar that is full should not look like a slow one. */
    private static final Duration BUSY_FOR = Duration.ofSeconds(3);

    /** On a loopback it takes milliseconds, with TLS over a network some round trips. */
    private static final Duration CONNECT_FOR = Duration.ofSeconds(5);

    /**
     * Within this time after a reply, a lost connection is nearly the only thing that can have
     * changed.
     */
    private static final Duration ANSWERED_JUST_NOW = Duration.ofSeconds(1);

    private final URI uri;
    private final Duration timeout;
    private final Duration changeTimeout;
    private final Duration outageTimeout;
    private final JobWaiting jobs;
    private final Repetition repetition = new Repetition(System::nanoTime, LockSupport::parkNanos);
    private final Optional<ClientTls> tls;
    private final TokenSource tokens;
    private final SidecarHttp http;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private @Nullable Connections connections;

    // Whether to look up the ports again
    @GuardedBy("lock")
    private boolean stale;

    @GuardedBy("lock")
    private boolean closed;

    private volatile long answeredNanos = System.nanoTime() - 2 * ANSWERED_JUST_NOW.toNanos();

    @Inject
    public SteleSidecar(SteleConfig config) {
        this.uri = requireNonNull(config.getSidecarUri(), "sidecarUri is null");
        this.timeout = config.getRequestTimeout().toJavaTime();
        this.changeTimeout = config.getChangeTimeout().toJavaTime();
        this.outageTimeout = config.getOutageTimeout().toJavaTime();
        // The answer comes when the wait is over, and may take as long again
        this.jobs = new JobWaiting(repetition, changeTimeout, timeout.dividedBy(2));
        this.tls =
                "https".equals(uri.getScheme())
                        ? Optional.of(new ClientTls(config.getTrustCertificatePath().map(Path::of)))
                        : Optional.empty();
        this.tokens =
                new TokenSource(
                        requireNonNull(config.getSharedSecret(), "sharedSecret is null"),
                        Clock.systemUTC(),
                        "trino");
        this.http = new SidecarHttp(uri, timeout, tls, tokens);
    }

    /** The same sidecar, with the identity of a query in its requests. */
    public SidecarActions as(QueryIdentity identity) {
        requireNonNull(identity, "identity is null");
        return new SidecarActions() {
            @Override
            public <Q, R> R change(Action<Q, R> action, Q request) {
                return SteleSidecar.this.change(action, request, identity);
            }

            @Override
            public <Q, R> R call(Action<Q, R> action, Q request) {
                return SteleSidecar.this.call(action, request, identity);
            }

            @Override
            public <Q, R> R callUntilKnown(Action<Q, R> action, Q request, String unknown) {
                return SteleSidecar.this.callUntilKnown(action, request, unknown, identity);
            }

            @Override
            public JobStatus runJob(RunJobRequest request) {
                return SteleSidecar.this.runJob(request, identity);
            }

            @Override
            public <Q, R> R callNow(Action<Q, R> action, Q request) {
                return SteleSidecar.this.callNow(action, request, identity);
            }
        };
    }

    @Override
    public <Q, R> R change(Action<Q, R> action, Q request) {
        return change(action, request, QueryIdentity.NONE);
    }

    @Override
    public <Q, R> R call(Action<Q, R> action, Q request) {
        return call(action, request, QueryIdentity.NONE);
    }

    @Override
    public <Q, R> R callUntilKnown(Action<Q, R> action, Q request, String unknown) {
        return callUntilKnown(action, request, unknown, QueryIdentity.NONE);
    }

    @Override
    public JobStatus runJob(RunJobRequest request) {
        return runJob(request, QueryIdentity.NONE);
    }

    @Override
    public <Q, R> R callNow(Action<Q, R> action, Q request) {
        return callNow(action, request, QueryIdentity.NONE);
    }

    private <Q, R> R change(Action<Q, R> action, Q request, QueryIdentity identity) {
        StatementAttempts attempts =
                new StatementAttempts(System::nanoTime, BUSY_FOR, outageTimeout);
        try {
            return repetition.run(
                    () -> naming(() -> send(action, request, identity, attempts)),
                    attempts::patience);
        } catch (SteleException e) {
            throw translate(attempts.outcome(action.name(), e));
        }
    }

    private <Q, R> R send(
            Action<Q, R> action, Q request, QueryIdentity identity, StatementAttempts attempts) {
        FlightClient flight = connect().flight();
        try {
            return flight.action(action, request, changeTimeout, identity, attempts.id());
        } catch (SteleException e) {
            throw attempts.failed(e);
        }
    }

    private <Q, R> R call(Action<Q, R> action, Q request, QueryIdentity identity) {
        return repeated(() -> send(action, request, identity));
    }

    private <Q, R> R callNow(Action<Q, R> action, Q request, QueryIdentity identity) {
        return once(() -> connect().flight().action(action, request, timeout, identity));
    }

    /** Runs an action that may be repeated, and is of no use after this time. */
    <Q, R> R callWithin(Duration time, Action<Q, R> action, Q request) {
        long deadline = System.nanoTime() + time.toNanos();
        try {
            return repetition.run(
                    () ->
                            naming(
                                    () ->
                                            connect()
                                                    .flight()
                                                    .action(
                                                            action,
                                                            request,
                                                            Duration.ofNanos(
                                                                    Math.max(
                                                                            1,
                                                                            deadline
                                                                                    - System
                                                                                            .nanoTime())))),
                    failure -> time);
        } catch (SteleException e) {
            throw translate(e);
        }
    }

    private <Q, R> R callUntilKnown(
            Action<Q, R> action, Q request, String unknown, QueryIdentity identity) {
        // A commit publishes work that is done; other changes may be refused
        Duration busyFor = isOfTransaction(action) ? changeTimeout : BUSY_FOR;
        return untilKnown(
                () ->
                        repetition.run(
                                () -> naming(() -> send(action, request, identity)),
                                failure ->
                                        failure.code() == ErrorCode.BUSY ? busyFor : changeTimeout),
                unknown);
    }

    /**
     * Sends begin and commit of transactions over the connection that is fastest for short
     * requests, because each INSERT waits for both.
     */
    private <Q, R> R send(Action<Q, R> action, Q request, QueryIdentity identity) {
        Connections here = connect();
        Optional<R> reply =
                isOfTransaction(action) ? here.actions().run(action, request) : Optional.empty();
        R found = reply.orElseGet(() -> here.flight().action(action, request, timeout, identity));
        answeredNanos = System.nanoTime();
        return found;
    }

    private static boolean isOfTransaction(Action<?, ?> action) {
        return action.framing() == Action.Framing.TRANSACTIONS;
    }

    private JobStatus runJob(RunJobRequest work, QueryIdentity identity) {
        return untilKnown(
                () ->
                        jobs.run(
                                work,
                                request ->
                                        naming(
                                                () ->
                                                        send(
                                                                MaintenanceActions.RUN_JOB,
                                                                request,
                                                                identity))),
                "The sidecar goes on with it if it is there");
    }

    private static <T> T untilKnown(Supplier<T> change, String unknown) {
        try {
            return change.get();
        } catch (SteleException e) {
            throw translate(e.code().nothingIsChanged() ? e : unknown(e, unknown));
        }
    }

    private static SteleException unknown(SteleException failure, String unknown) {
        return new SteleException(
                failure.code(), "%s. %s".formatted(failure.getMessage(), unknown), failure);
    }

    /**
     * As {@link #call}, for actions that open or plan what is to be read, which queries wait for:
     * over a connection that takes a fraction of the time of Flight's.
     */
    public <Q, R> R open(Action<Q, R> action, Q request) {
        return repeated(() -> openOnce(action, request));
    }

    /** As {@link #open}, of what is not essential: once, and only if the sidecar is available. */
    public <Q, R> R openNow(Action<Q, R> action, Q request) {
        return once(() -> openOnce(action, request));
    }

    private <Q, R> R openOnce(Action<Q, R> action, Q request) {
        Connections here = connect();
        return here.actions()
                .run(action, request)
                .orElseGet(() -> here.flight().action(action, request, timeout));
    }

    /** As {@link #open}, for the first request of a query. */
    OpenTableReply openTable(OpenTableRequest request) {
        return repeated(
                () -> {
                    Connections here = connect();
                    return here.actions()
                            .openTable(request)
                            .orElseGet(
                                    () ->
                                            here.flight()
                                                    .action(
                                                            SnapshotActions.OPEN_TABLE,
                                                            request,
                                                            timeout));
                });
    }

    private <T> T repeated(Supplier<T> request) {
        try {
            return repetition.run(
                    () -> naming(request),
                    failure -> failure.code() == ErrorCode.BUSY ? BUSY_FOR : outageTimeout);
        } catch (SteleException e) {
            throw translate(e);
        }
    }

    private <T> T once(Supplier<T> request) {
        try {
            return naming(request);
        } catch (SteleException e) {
            throw translate(e);
        }
    }

    private <T> T naming(Supplier<T> request) {
        try {
            return request.get();
        } catch (SteleException e) {
            throw named(e);
        }
    }

    /**
     * Starts a stream of rows; the caller closes it, and passes its failures to {@link
     * #streamFailed}.
     *
     * @param identity the identity of the query, by which the sidecar chooses a scheduling group,
     *     and under which it reports the reads
     */
    public FlightStream scan(byte[] ticket, QueryIdentity identity) {
        return client().get(new Ticket(ticket), identity);
    }

    /**
     * Starts an action that returns one result after the other; the caller closes it, and passes
     * its failures to {@link #streamFailed}.
     */
    public <Q, R> ActionStream<R> watch(Action<Q, R> action, Q request) {
        return client().watch(action, request);
    }

    /**
     * Starts a stream to the sidecar; the caller finishes or closes it, and passes its failures to
     * {@link #streamFailed}. Unless the sidecar has answered just now, and no other connection to
     * it was found dead, it first checks the connection by a short action, because rows cannot be
     * sent a second time.
     */
    public FlightPut put() {
        Connections here = repeated(this::connect);
        long losses = here.actions().losses();
        if (!here.flight().isConnected()
                || losses != here.knownLosses().get()
                || System.nanoTime() - answeredNanos > ANSWERED_JUST_NOW.toNanos()) {
            call(CatalogActions.LIST_SCHEMAS, Done.DONE);
            here.knownLosses().set(losses);
            here = repeated(this::connect); // it may be elsewhere by now
        }
        return here.flight().put();
    }

    /**
     * Converts a stream's failure to Trino's; after a lost connection the next request looks up the
     * sidecar again.
     */
    public RuntimeException streamFailed(SteleException failure) {
        return translate(named(failure));
    }

    /** The path of the warehouse, which this host must be able to read too. */
    public String warehousePath() {
        try {
            return warehouse()
                    .warehousePath()
                    .orElseThrow(
                            () ->
                                    new SteleException(
                                            ErrorCode.INVALID_ARGUMENT,
                                            "Set stele.warehouse.path: the sidecar at %s names no warehouse"
                                                    .formatted(uri)));
        } catch (SteleException e) {
            throw translate(e);
        }
    }

    private SidecarWarehouse warehouse() {
        // An older sidecar has it in its status, which sums up the statistics of all tables
        return http.find("/v1/warehouse", SidecarWarehouse.class)
                .orElseGet(() -> http.get("/v1/status", SidecarWarehouse.class));
    }

    /**
     * Finds out whether this host and the sidecar can read each other's files.
     *
     * @param catalog master keys of this host, the one for new objects first
     */
    public void checkMasterKeys(List<KeyFingerprint> catalog) {
        try {
            List<KeyFingerprint> sidecar =
                    warehouse()
                            .encryptionKeys()
                            .orElseThrow(
                                    () ->
                                            new SteleException(
                                                    ErrorCode.UNAVAILABLE,
                                                    "The sidecar at %s is starting"
                                                            .formatted(uri)));
            MasterKeyCheck.check(sidecar, catalog, uri.toString());
        } catch (SteleException e) {
            throw translate(e);
        }
    }

    public URI uri() {
        return uri;
    }

    @Override
    @PreDestroy
    public void close() {
        synchronized (lock) {
            closed = true;
        }
        closeConnections();
        http.close();
    }

    private FlightClient client() {
        return repeated(() -> connect().flight());
    }

    private Connections connect() {
        synchronized (lock) {
            if (connections != null && !stale && !connections.flight().isBackingOff()) {
                return connections;
            }
        }
        Connections found = find();
        // It is ready, and a call on a channel that is not connected fails at once
        found.flight().connect(CONNECT_FOR);
        synchronized (lock) {
            stale = false;
        }
        return found;
    }

    private Connections find() {
        SidecarInfo info = http.get("/v1/info", SidecarInfo.class);
        if (!info.ready()) {
            throw new SteleException(
                    ErrorCode.UNAVAILABLE,
                    "Expected a ready Stele sidecar at %s, found one that is starting or stopping"
                            .formatted(uri));
        }
        synchronized (lock) {
            if (closed) {
                throw new SteleException(
                        ErrorCode.UNAVAILABLE,
                        "The catalog of the sidecar at " + uri + " is closed");
            }
            // Others may be using a channel to the same port
            if (connections == null || !connections.isAt(info)) {
                closeConnections();
                connections = open(info);
            }
            return connections;
        }
    }

    private Connections open(SidecarInfo info) {
        String host = requireNonNull(uri.getHost(), "host is null");
        return new Connections(
                info.flightPort(),
                new FlightClient(host, info.flightPort(), tls, tokens),
                new ActionClient(
                        new Endpoint(host, info.clientPort()), tls, tokens, "trino", timeout),
                new AtomicLong());
    }

    private void lookAgain() {
        synchronized (lock) {
            stale = true;
        }
    }

    private void closeConnections() {
        synchronized (lock) {
            if (connections != null) {
                connections.close();
                connections = null;
            }
        }
    }

    /**
     * Clients of one sidecar, at the ports that it had at the last request for them.
     *
     * @param knownLosses losses of {@code actions} before Flight's connection was last checked
     */
    private record Connections(
            int flightPort, FlightClient flight, ActionClient actions, AtomicLong knownLosses) {
        boolean isAt(SidecarInfo info) {
            return flightPort == info.flightPort()
                    && actions.endpoint().port() == info.clientPort();
        }

        void close() {
            flight.close();
            actions.close();
        }
    }

    private SteleException named(SteleException failure) {
        if (failure.code() != ErrorCode.UNAVAILABLE) {
            return failure;
        }
        lookAgain();
        String message = String.valueOf(failure.getMessage());
        if (message.contains(uri.toString())) {
            return failure;
        }
        return new SteleException(
                ErrorCode.UNAVAILABLE,
                "Cannot reach the Stele sidecar at %s: %s".formatted(uri, message),
                failure);
    }
}
