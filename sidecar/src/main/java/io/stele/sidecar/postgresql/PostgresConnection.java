package io.stele.sidecar.postgresql;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.engine.ArrivalPace;
import io.stele.sidecar.engine.PacedInput;
import io.stele.sidecar.postgresql.run.Cancellation;
import io.stele.sidecar.postgresql.run.Client;
import io.stele.sidecar.postgresql.session.Session;
import io.stele.sidecar.postgresql.session.Settings;
import io.stele.sidecar.postgresql.wire.Message;
import io.stele.sidecar.postgresql.wire.MessageReader;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.Replies;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one PostgreSQL client: its start, its login, and then its messages, each of
 * which is handled before the next one is read. Runs on its own virtual thread.
 */
final class PostgresConnection implements AutoCloseable {
    private static final Logger log = Logger.get(PostgresConnection.class);

    private static final int CANCEL_REQUEST = 1234 << 16 | 5678;
    private static final int SSL_REQUEST = 1234 << 16 | 5679;
    private static final int GSS_REQUEST = 1234 << 16 | 5680;
    private static final int MAX_STARTUP_BYTES = 10_000; // as in PostgreSQL
    private static final int INPUT_BYTES = 16 << 10;

    private final PostgresServerContext context;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Cancellation cancellation;
    private final ArrivalPace pace = new ArrivalPace();
    private volatile Socket socket;
    private volatile long waitingSinceNanos; // for the client to receive bytes; 0: not
    private volatile boolean draining;
    private volatile boolean idle;
    private volatile long idleInBlockSinceNanos; // 0: not

    PostgresConnection(Socket socket, PostgresServerContext context) {
        this.socket = requireNonNull(socket, "socket is null");
        this.context = requireNonNull(context, "context is null");
        this.cancellation = new Cancellation(context.nanoTime());
    }

    void serve() {
        PendingLogins.Login login = context.logins().begin(this::giveUp);
        try (login) {
            start(login);
        } catch (SocketException | EOFException e) {
            log.debug(e, "Connection of %s ended", this);
        } catch (IOException e) {
            log.debug(e, "Connection of %s failed", this);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void giveUp(SteleException reason) {
        log.debug("Closing the connection of %s: %s", this, reason.getMessage());
        close();
    }

    private MessageReader reader() throws IOException {
        return new MessageReader(
                new BufferedInputStream(new PacedInput(socket.getInputStream(), pace), INPUT_BYTES),
                context.pending(),
                pace);
    }

    private Replies replies() throws IOException {
        return new Replies(
                new MessageWriter(
                        new WatchedOutput(
                                socket.getOutputStream(), since -> waitingSinceNanos = since)));
    }

    private void start(PendingLogins.Login login) throws IOException, InterruptedException {
        MessageReader in = reader();
        Replies out = replies();
        try {
            Map<String, String> parameters = new HashMap<>();
            int attempts = 0;
            while (true) {
                Message message = in.readStartup(MAX_STARTUP_BYTES);
                if (message == null) {
                    return;
                }
                int code = message.getInt();
                if (code == CANCEL_REQUEST) {
                    context.cancelKeys()
                            .cancel(new CancelKeys.Key(message.getInt(), message.getInt()));
                    return;
                }
                if (code == GSS_REQUEST && attempts++ < 2) {
                    out.out().raw('N');
                } else if (code == SSL_REQUEST && attempts++ < 2) {
                    if (context.tls().isEmpty()) {
                        out.out().raw('N');
                    } else {
                        requireNothingMore(in);
                        out.out().raw('S');
                        startTls();
                        in = reader();
                        out = replies();
                    }
                } else {
                    checkVersion(code, message, parameters);
                    break;
                }
            }
            requireTls();
            serve(parameters, login, in, out);
        } catch (PostgresException e) {
            // The stream cannot be read any further, or the client may not go on
            out.error("FATAL", e);
            out.out().flush();
        } finally {
            in.close();
        }
    }

    /** Refuses bytes before the handshake, which might be taken for bytes after it. */
    private static void requireNothingMore(MessageReader in) throws IOException {
        if (in.hasMore()) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected nothing behind a request for TLS, found more");
        }
    }

    private void startTls() throws IOException {
        SSLSocket secure =
                (SSLSocket)
                        context.tls()
                                .orElseThrow()
                                .sslContext()
                                .getSocketFactory()
                                .createSocket(
                                        socket,
                                        socket.getInetAddress().getHostAddress(),
                                        socket.getPort(),
                                        true);
        secure.setUseClientMode(false);
        secure.startHandshake();
        socket = secure;
    }

    private void requireTls() {
        if (context.tls().isPresent() && !(socket instanceof SSLSocket)) {
            throw new PostgresException(
                    SqlState.INVALID_AUTHORIZATION,
                    "Expected a connection with TLS, found one without",
                    Optional.of("Connect with sslmode=require or higher."));
        }
    }

    private static void checkVersion(int code, Message message, Map<String, String> parameters) {
        if (code >> 16 != 3) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected version 3 of PostgreSQL's protocol, found %s.%s"
                            .formatted(code >> 16, code & 0xFFFF));
        }
        while (message.remaining() > 1) {
            String name = message.getText();
            parameters.put(name, message.getText());
        }
    }

    private void serve(
            Map<String, String> parameters,
            PendingLogins.Login login,
            MessageReader in,
            Replies out)
            throws IOException, InterruptedException {
        String user = parameters.getOrDefault("user", "");
        if (user.isEmpty() || user.length() > QueryIdentity.MAX_LENGTH) {
            throw new PostgresException(
                    SqlState.INVALID_AUTHORIZATION,
                    "Expected a user name of 1 to %s characters, found %s"
                            .formatted(QueryIdentity.MAX_LENGTH, user.length()));
        }
        AuthenticatedUser authenticated = context.users().login(user, in, out);
        login.close();
        if (!context.places().tryAcquire()) {
            context.metrics().refusedAsBusy();
            throw new PostgresException(
                    SqlState.TOO_MANY_CONNECTIONS,
                    "Expected at most %s connections (stele.postgresql.max-connections), found more"
                            .formatted(context.config().getMaxConnections()));
        }
        context.metrics().postgresConnectionOpened();
        CancelKeys.Key key = context.cancelKeys().register(cancellation);
        try {
            Settings settings = settings(parameters);
            QueryIdentity identity = new QueryIdentity(user, settings.applicationName(), "");
            greet(user, settings, key, out);
            try (Session session =
                    new Session(
                            key.processId(),
                            context.executor(),
                            context.preparer(),
                            context.trino(),
                            settings,
                            context.statistics(),
                            new Client(authenticated, identity, cancellation),
                            in,
                            out,
                            context.clock(),
                            context.nanoTime(),
                            maxMessageBytes())) {
                serve(session, in, out);
            }
        } finally {
            context.cancelKeys().remove(key);
            context.places().release();
            context.metrics().postgresConnectionClosed();
        }
    }

    private int maxMessageBytes() {
        return Math.toIntExact(context.config().getMaxMessageSize().toBytes());
    }

    private Settings settings(Map<String, String> parameters) {
        Settings settings = new Settings("15.0 (Stele %s)".formatted(context.version()), "150000");
        parameters.forEach(
                (name, value) -> {
                    switch (name) {
                        case "user", "database", "replication" -> {}
                        case "options" -> StartupOptions.apply(value, settings);
                        default -> {
                            if (!name.startsWith("_pq_.")) {
                                settings.setInitial(name, value);
                            }
                        }
                    }
                });
        if (!parameters.getOrDefault("replication", "false").equals("false")) {
            throw new PostgresException(
                    SqlState.FEATURE_NOT_SUPPORTED, "Expected no replication, found a request");
        }
        return settings;
    }

    private static void greet(String user, Settings settings, CancelKeys.Key key, Replies out)
            throws IOException {
        for (String name :
                List.of(
                        "server_version",
                        "server_encoding",
                        "client_encoding",
                        "application_name",
                        "default_transaction_read_only",
                        "in_hot_standby",
                        "is_superuser",
                        "DateStyle",
                        "IntervalStyle",
                        "TimeZone",
                        "integer_datetimes",
                        "standard_conforming_strings")) {
            out.parameterStatus(name, settings.find(name).orElse("off"));
        }
        out.parameterStatus("session_authorization", user);
        out.backendKey(key.processId(), key.secret());
        out.ready('I');
    }

    /**
     * Serves messages until the client leaves. An error in the extended protocol skips messages up
     * to Sync.
     */
    private void serve(Session session, MessageReader in, Replies out) throws IOException {
        boolean skipping = false;
        while (!draining) {
            if (!in.hasMore()) {
                out.out().flush();
            }
            idle = session.transactionStatus() == 'I';
            idleInBlockSinceNanos = idle ? 0 : Math.max(context.nanoTime().getAsLong(), 1);
            @Nullable Message message = in.read(maxMessageBytes());
            idle = false;
            idleInBlockSinceNanos = 0;
            if (message == null || message.type() == 'X') {
                return;
            }
            if (message.type() == 'S') {
                skipping = false;
                sync(session, out);
            } else if (!skipping && message.type() == 'Q') {
                query(session, message, out);
            } else if (!skipping && message.type() == 'F') {
                fail(session, noFunctions(), out);
                out.ready(session.transactionStatus());
            } else if (!skipping) {
                try {
                    handle(session, message, in, out);
                } catch (RuntimeException | StackOverflowError e) {
                    fail(session, e, out);
                    skipping = true;
                }
            }
        }
        out.error(
                "FATAL", new PostgresException(SqlState.ADMIN_SHUTDOWN, "The sidecar is stopping"));
        out.out().flush();
    }

    private static PostgresException noFunctions() {
        return new PostgresException(
                SqlState.FEATURE_NOT_SUPPORTED, "Expected a statement, found a call of a function");
    }

    private void sync(Session session, Replies out) throws IOException {
        try {
            session.sync();
        } catch (RuntimeException e) {
            fail(session, e, out);
        }
        out.ready(session.transactionStatus());
    }

    private void query(Session session, Message message, Replies out) throws IOException {
        try {
            session.query(message.getText());
        } catch (RuntimeException | StackOverflowError e) {
            fail(session, e, out);
        }
        out.ready(session.transactionStatus());
    }

    private void fail(Session session, Throwable failure, Replies out) throws IOException {
        PostgresException shown = PostgresException.of(failure);
        if (shown.state() == SqlState.INTERNAL_ERROR) {
            log.warn(failure, "A statement of %s failed", this);
        }
        out.out().discardOpen();
        try {
            session.fail();
        } catch (RuntimeException e) {
            log.warn(e, "Cannot end what a failed statement of %s has opened", this);
        }
        out.error("ERROR", shown);
        if (shown.state() == SqlState.PROTOCOL_VIOLATION) {
            out.out().flush();
        }
    }

    private static void handle(Session session, Message message, MessageReader in, Replies out)
            throws IOException {
        switch (message.type()) {
            case 'P' -> {
                String name = message.getText();
                String sql = message.getText();
                List<Integer> types = new ArrayList<>();
                int count = message.getCount(4);
                for (int i = 0; i < count; i++) {
                    types.add(message.getInt());
                }
                message.end();
                session.parse(name, sql, types);
            }
            case 'B' -> {
                String portal = message.getText();
                String statement = message.getText();
                List<Integer> formats = shorts(message);
                List<Optional<byte[]>> values = new ArrayList<>();
                int count = message.getCount(4);
                for (int i = 0; i < count; i++) {
                    int length = message.getInt();
                    values.add(
                            length == -1
                                    ? Optional.empty()
                                    : Optional.of(message.getBytes(length)));
                }
                List<Integer> resultFormats = shorts(message);
                message.end();
                session.bind(portal, statement, formats, values, resultFormats);
            }
            case 'D' -> {
                int kind = message.getByte();
                if (kind == 'S') {
                    session.describeStatement(message.getText());
                } else {
                    session.describePortal(message.getText());
                }
            }
            case 'E' -> {
                String portal = message.getText();
                session.execute(portal, message.getInt(), in.isNext('S') || !in.hasMore());
            }
            case 'C' -> {
                int kind = message.getByte();
                if (kind == 'S') {
                    session.closeStatement(message.getText());
                } else {
                    session.closePortal(message.getText());
                }
            }
            case 'H' -> out.out().flush();
            case 'd', 'c', 'f' -> {} // of a COPY that has failed
            default ->
                    throw new PostgresException(
                            SqlState.PROTOCOL_VIOLATION,
                            "Expected a message of PostgreSQL's protocol, found one of type '%s'"
                                    .formatted(message.type()));
        }
    }

    private static List<Integer> shorts(Message message) {
        List<Integer> values = new ArrayList<>();
        int count = message.getCount(2);
        for (int i = 0; i < count; i++) {
            values.add(message.getShort());
        }
        return values;
    }

    /** Ends the connection when its present statement, outside a transaction, has ended. */
    void drain() {
        draining = true;
        if (idle) {
            close();
        }
    }

    /** Closes the connection of a client whose transaction block does nothing for so long. */
    void closeIfIdleInBlock(long nowNanos, long timeoutNanos) {
        long since = idleInBlockSinceNanos;
        if (since != 0 && nowNanos - since > timeoutNanos) {
            log.debug("Closing the connection of %s, whose transaction does nothing", this);
            close();
        }
    }

    /** Closes the connection of a client that receives nothing for so long. */
    void closeIfStalled(long nowNanos, long timeoutNanos) {
        long since = waitingSinceNanos;
        if (since != 0 && nowNanos - since > timeoutNanos) {
            log.debug("Closing the connection of %s, which takes nothing", this);
            close();
        }
    }

    /** Closes the connection of a client that sends a large message too slowly. */
    void closeIfSlow(long nowNanos) {
        if (pace.isTooSlow(nowNanos)) {
            log.debug("Closing the connection of %s, whose message holds memory too long", this);
            close();
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            cancellation.request();
            try {
                socket.close();
            } catch (IOException e) {
                log.debug(e, "Cannot close the connection of %s", this);
            }
        }
    }

    @Override
    public String toString() {
        return String.valueOf(socket.getRemoteSocketAddress());
    }
}
