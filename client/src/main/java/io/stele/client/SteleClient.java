package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.client.auth.ClientTls;
import io.stele.client.auth.TokenSource;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.NodeAddress;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.GetTable;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A client of Stele's sidecars for Java programs: it writes rows, looks them up by key, scans by
 * key and follows changes. It has one pipelined, self-reconnecting connection for each sidecar.
 * Thread-safe; close it after the writers.
 *
 * <pre>{@code
 * try (SteleClient client = SteleClient.builder().endpoint("localhost", 8482).secret(secret).build();
 *         TableWriter writer = client.writer("shop", "orders")) {
 *     writer.write(1L, "open", LocalDate.now());
 *     Lsn lsn = writer.flush(); // durable, and visible to every reader from here on
 *     client.table("shop", "orders").get(1L);
 * }
 * }</pre>
 */
public final class SteleClient implements AutoCloseable {
    private final List<Endpoint> endpoints;
    private final ClientSettings settings;
    private final Optional<ClientTls> tls;
    private final TokenSource tokens;
    private final String name;
    private final SessionOpener opener;
    private final ThreadFactory threads;
    private final LongSupplier ticker;
    private final InFlightBudget budget;
    private final AtomicLong lastLsn = new AtomicLong(Lsn.MIN.value());
    private final Object lock = new Object();
    private final Map<Endpoint, Connection> connections = new HashMap<>();
    private final Map<Endpoint, FlightClient> flights = new HashMap<>();
    private boolean closed;

    private SteleClient(Builder builder, TokenSource tokens) {
        this.endpoints = List.copyOf(builder.endpoints);
        this.settings = builder.settings;
        this.tls = builder.tls;
        this.tokens = tokens;
        this.name = builder.name;
        this.threads = builder.threads;
        this.ticker = builder.ticker;
        this.opener =
                new SessionOpener(
                        tokens, tls, builder.name, builder.identity, settings.connectTimeout());
        this.budget = new InFlightBudget(settings.maxInFlightBytes());
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A table by its name; waits for the sidecar. */
    public SteleTable table(String schemaName, String tableName) {
        return new SteleTable(this, await(describe(schemaName, tableName)));
    }

    /** A new writer of a table; waits for the sidecar. */
    public TableWriter writer(String schemaName, String tableName) {
        return table(schemaName, tableName).writer();
    }

    /** A new bulk writer of a table, over Flight; waits for the sidecar. */
    public BulkWriter bulkWriter(String schemaName, String tableName) {
        return newBulkWriter(await(describe(schemaName, tableName)));
    }

    /** The greatest LSN acknowledged to any writer of this client. */
    public Lsn lastLsn() {
        return new Lsn(lastLsn.get());
    }

    /** The bytes of batches that are full or sent, but not acknowledged. */
    public long inFlightBytes() {
        return budget.bytes();
    }

    /** A Flight client of a sidecar, for administration and bulk data; closed with this client. */
    public FlightClient flight(String host, int port) {
        Endpoint endpoint = new Endpoint(host, port);
        synchronized (lock) {
            checkOpen();
            return flights.computeIfAbsent(
                    endpoint, key -> new FlightClient(key.host(), key.port(), tls, tokens));
        }
    }

    /**
     * A Flight client of the first sidecar that can be reached, closed with this client; waits for
     * it.
     *
     * @throws SteleException UNAVAILABLE if no sidecar can be reached; or the error of the first
     *     sidecar that can
     */
    public FlightClient flight() {
        SteleException away = null;
        for (Endpoint endpoint : endpoints) {
            try (ActionClient actions =
                    new ActionClient(endpoint, tls, tokens, name, settings.connectTimeout())) {
                NodeAddress address =
                        actions.run(CatalogActions.NODE_ADDRESS, Done.DONE).orElseThrow();
                return flight(address.hostOr(endpoint.host()), address.flightPort());
            } catch (SteleException failed) {
                if (failed.code() != ErrorCode.UNAVAILABLE) {
                    throw failed;
                }
                if (away != null) {
                    failed.addSuppressed(away);
                }
                away = failed;
            }
        }
        throw requireNonNull(away, "there is an endpoint");
    }

    /** Closes all connections; unacknowledged requests fail. */
    @Override
    public void close() {
        List<Connection> open;
        List<FlightClient> openFlights;
        synchronized (lock) {
            closed = true;
            open = new ArrayList<>(connections.values());
            openFlights = new ArrayList<>(flights.values());
        }
        open.forEach(Connection::close);
        openFlights.forEach(FlightClient::close);
    }

    /** Requests a table's description from one sidecar after the other until one replies. */
    CompletableFuture<CachedTable> describe(String schemaName, String tableName) {
        byte[] payload = new GetTable(schemaName, tableName).encode();
        return describe(payload, 0);
    }

    private CompletableFuture<CachedTable> describe(byte[] payload, int index) {
        Endpoint endpoint = endpoints.get(index);
        CallRequest request =
                new CallRequest(FrameType.GET_TABLE, FrameType.GET_TABLE_REPLY, payload);
        connection(endpoint).submit(request);
        CompletableFuture<CachedTable> asked =
                request.reply()
                        .thenApply(
                                frame ->
                                        new CachedTable(
                                                ApiJson.read(
                                                        frame.payload(), TableDescription.class),
                                                endpoint));
        if (index + 1 == endpoints.size()) {
            return asked;
        }
        return asked.exceptionallyCompose(
                thrown -> {
                    SteleException failure = toSteleException(thrown);
                    return failure.code() == ErrorCode.UNAVAILABLE
                            ? describe(payload, index + 1)
                            : CompletableFuture.failedFuture(failure);
                });
    }

    Connection connection(Endpoint endpoint) {
        synchronized (lock) {
            checkOpen();
            Connection present = connections.get(endpoint);
            if (present == null || present.hasEnded()) { // it ended because of an Error
                present = new Connection(endpoint, settings, opener, threads, ticker).start();
                connections.put(endpoint, present);
            }
            return present;
        }
    }

    TableWriter newWriter(CachedTable table) {
        return new TableWriter(this, table, UUID::randomUUID, budget);
    }

    BulkWriter newBulkWriter(CachedTable table) {
        TableSchema schema = table.schema();
        return newBulkWriter(
                table, schema, Optional.of(new TableName(schema.schemaName(), schema.tableName())));
    }

    /** A writer of another table at the same sidecar. */
    BulkWriter newBulkWriter(CachedTable table, TableSchema written, Optional<TableName> name) {
        Endpoint endpoint = table.flight();
        return new BulkWriter(
                flight(endpoint.host(), endpoint.port()),
                written,
                name,
                UUID.randomUUID(),
                settings.unavailableTimeout(),
                settings.busyTimeout(),
                ticker);
    }

    ClientSettings settings() {
        return settings;
    }

    LongSupplier ticker() {
        return ticker;
    }

    void acknowledged(Lsn lsn) {
        if (lsn.value() > lastLsn.get()) {
            lastLsn.accumulateAndGet(lsn.value(), Math::max);
        }
    }

    /** Waits for a future; throws its failure as a SteleException. */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw toSteleException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SteleException(
                    ErrorCode.INTERNAL, "Interrupted while waiting for the sidecar", e);
        }
    }

    /** The failure in an exception of a future, with the stack trace of the caller. */
    static SteleException toSteleException(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        ErrorCode code =
                cause instanceof SteleException failure ? failure.code() : ErrorCode.INTERNAL;
        return new SteleException(code, String.valueOf(cause.getMessage()), cause);
    }

    private void checkOpen() {
        if (closed) {
            throw new SteleException(ErrorCode.UNAVAILABLE, "The client is closed");
        }
    }

    /** A builder of clients; endpoints and a secret are required. */
    public static final class Builder {
        private final List<Endpoint> endpoints = new ArrayList<>();
        private ClientSettings settings = ClientSettings.DEFAULT;
        private Optional<ClientTls> tls = Optional.empty();
        private Optional<String> secret = Optional.empty();
        private Clock clock = Clock.systemUTC();
        private LongSupplier ticker = System::nanoTime;
        private String name = "stele-java-client";
        private QueryIdentity identity = QueryIdentity.NONE;
        private ThreadFactory threads = Builder::daemon;

        private Builder() {}

        /**
         * Adds the address of a sidecar's framed protocol; any reachable one of several is
         * sufficient to find all sidecars.
         */
        public Builder endpoint(String host, int port) {
            endpoints.add(new Endpoint(host, port));
            return this;
        }

        /** Sets the shared secret of the sidecars. */
        public Builder secret(String value) {
            secret = Optional.of(value);
            return this;
        }

        /** Uses TLS on all connections. */
        public Builder tls(ClientTls value) {
            tls = Optional.of(value);
            return this;
        }

        public Builder settings(ClientSettings value) {
            settings = requireNonNull(value, "value is null");
            return this;
        }

        /** Sets the name of the caller, for the sidecar's logs. */
        public Builder name(String value) {
            name = requireNonNull(value, "value is null");
            return this;
        }

        /**
         * Sets the query's identity, by which the sidecar chooses the scheduling group of reads.
         */
        public Builder identity(QueryIdentity value) {
            identity = requireNonNull(value, "value is null");
            return this;
        }

        /** Sets the clock for the dates of tokens. */
        public Builder clock(Clock value) {
            clock = requireNonNull(value, "value is null");
            return this;
        }

        /** Sets the clock for timeouts, in nanoseconds from any start. */
        public Builder ticker(LongSupplier value) {
            ticker = requireNonNull(value, "value is null");
            return this;
        }

        /** Sets the factory of the two threads of a connection. */
        public Builder threads(ThreadFactory value) {
            threads = requireNonNull(value, "value is null");
            return this;
        }

        /** Builds the client, which connects at its first use. */
        public SteleClient build() {
            if (endpoints.isEmpty()) {
                throw new IllegalArgumentException("Expected at least one endpoint, found none");
            }
            String given =
                    secret.orElseThrow(
                            () ->
                                    new IllegalArgumentException(
                                            "Expected the shared secret of the sidecars, found none"));
            return new SteleClient(this, new TokenSource(given, clock, name));
        }

        private static Thread daemon(Runnable task) {
            Thread thread = new Thread(task, "stele-client");
            thread.setDaemon(true);
            return thread;
        }
    }
}
