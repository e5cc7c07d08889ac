package io.stele.sidecar.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.engine.catalog.Catalog;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.Criteria;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.flight.FlightEndpoint;
import io.stele.protocol.flight.FlightInfo;
import io.stele.protocol.flight.IpcMessages;
import io.stele.protocol.flight.SchemaResult;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.access.Privilege;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.engine.Blocking;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.flight.call.AuthenticationInterceptor;
import io.stele.sidecar.flight.call.ReadLsnInterceptor;
import io.stele.sidecar.flight.call.SqlCallerInterceptor;
import io.stele.sidecar.flight.sql.FlightSqlService;
import io.stele.sidecar.flight.sql.SqlMessages;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadFactory;

/**
 * The implementation of Flight's ListFlights, GetFlightInfo and GetSchema, which show tables to
 * stock Flight clients, named by the path schema, table. Thread safe.
 */
final class FlightCatalog {
    // The time between GetFlightInfo and its DoGets, which hold the snapshot from then on.
    private static final Duration INFO_LEASE = Duration.ofMinutes(5);

    // Bytes in flight to a client that reads as fast as it can
    private static final int READY_BYTES = 256 << 10;

    private static final long UNKNOWN = -1; // of rows and bytes

    private final EngineService engine;
    private final AccessControl access;
    private final FlightSqlService sql;
    private final long stallTimeoutNanos;
    private final ThreadFactory threads;

    /**
     * @param threads send lists of tables
     */
    FlightCatalog(
            EngineService engine,
            AccessControl access,
            FlightSqlService sql,
            Duration stallTimeout,
            ThreadFactory threads) {
        this.sql = requireNonNull(sql, "sql is null");
        this.access = requireNonNull(access, "access is null");
        this.engine = requireNonNull(engine, "engine is null");
        this.stallTimeoutNanos = stallTimeout.toNanos();
        this.threads = requireNonNull(threads, "threads is null");
    }

    /** Lists tables without endpoints, because an endpoint needs a snapshot. */
    void listFlights(Criteria criteria, StreamObserver<FlightInfo> infos) {
        OutboundStream<FlightInfo> stream =
                new OutboundStream<>(
                        (ServerCallStreamObserver<FlightInfo>) infos,
                        READY_BYTES,
                        stallTimeoutNanos);
        AuthenticatedUser user = AuthenticationInterceptor.user();
        threads.newThread(() -> list(criteria, user, stream)).start();
    }

    /** Waits for a client that is behind, because there may be many tables. */
    private void list(Criteria criteria, AuthenticatedUser user, OutboundStream<FlightInfo> infos) {
        try {
            String wanted = new String(criteria.expression(), UTF_8);
            Catalog catalog = engine.engine().catalog().current();
            for (String schemaName :
                    wanted.isEmpty() ? List.copyOf(catalog.schemas()) : List.of(wanted)) {
                for (TableSchema table : catalog.listTables(schemaName)) {
                    if (access.sees(user, schemaName, table.tableName())) {
                        infos.send(info(table, List.of()));
                    }
                }
            }
        } catch (RuntimeException e) {
            if (!infos.isCancelled()) {
                infos.fail(CallFailures.describe("ListFlights", e));
            }
            return;
        }
        infos.complete();
    }

    /**
     * A table with one endpoint a shard; together they are one snapshot, leased for five minutes.
     */
    void getFlightInfo(FlightDescriptor descriptor, StreamObserver<FlightInfo> reply) {
        FlightInfo info;
        try {
            if (isSql(descriptor)) {
                reply.onNext(sqlInfo(descriptor));
                reply.onCompleted();
                return;
            }
            TableSchema table = table(descriptor);
            access.check(
                    AuthenticationInterceptor.user(),
                    table.schemaName(),
                    table.tableName(),
                    Set.of(Privilege.SELECT));
            LeasedSnapshot snapshot =
                    Blocking.await(
                            engine.engine()
                                    .openSnapshot(
                                            Optional.empty(),
                                            ReadLsnInterceptor.latest(Optional.empty()),
                                            INFO_LEASE));
            List<FlightEndpoint> endpoints = new ArrayList<>();
            for (int shard = 0; shard < table.shardCount(); shard++) {
                endpoints.add(
                        new FlightEndpoint(
                                new Ticket(ticket(table, shard, snapshot).encode()), List.of()));
            }
            info = info(table, endpoints);
        } catch (RuntimeException e) {
            reply.onError(CallFailures.describe("GetFlightInfo", e));
            return;
        }
        reply.onNext(info);
        reply.onCompleted();
    }

    void getSchema(FlightDescriptor descriptor, StreamObserver<SchemaResult> reply) {
        SchemaResult schema;
        try {
            schema =
                    new SchemaResult(
                            isSql(descriptor)
                                    ? sql.schema(
                                            descriptor.command(), SqlCallerInterceptor.current())
                                    : schemaMessage(seen(descriptor)));
        } catch (RuntimeException e) {
            reply.onError(CallFailures.describe("GetSchema", e));
            return;
        }
        reply.onNext(schema);
        reply.onCompleted();
    }

    private TableSchema seen(FlightDescriptor descriptor) {
        TableSchema table = table(descriptor);
        access.checkSees(AuthenticationInterceptor.user(), table.schemaName(), table.tableName());
        return table;
    }

    private static boolean isSql(FlightDescriptor descriptor) {
        return descriptor.kind() == FlightDescriptor.Kind.COMMAND
                && SqlMessages.isSql(descriptor.command());
    }

    private FlightInfo sqlInfo(FlightDescriptor descriptor) {
        FlightSqlService.Info info = sql.info(descriptor.command(), SqlCallerInterceptor.current());
        return new FlightInfo(
                info.schema(),
                Optional.of(descriptor),
                info.ticket().stream()
                        .map(ticket -> new FlightEndpoint(new Ticket(ticket), List.of()))
                        .toList(),
                info.records(),
                UNKNOWN,
                true,
                new byte[0]);
    }

    private TableSchema table(FlightDescriptor descriptor) {
        Catalog catalog = engine.engine().catalog().current();
        return switch (descriptor.kind()) {
            case PATH -> byPath(catalog, descriptor.path());
            case COMMAND -> {
                PutTarget target = ApiJson.read(descriptor.command(), PutTarget.class);
                yield target.tableId().isPresent()
                        ? catalog.table(target.tableId().get())
                        : catalog.table(
                                target.table().orElseThrow().schemaName(),
                                target.table().orElseThrow().tableName());
            }
            case UNKNOWN ->
                    throw new SteleException(
                            ErrorCode.INVALID_ARGUMENT,
                            "Expected a descriptor with a path or a command, found neither");
        };
    }

    static TableSchema byPath(Catalog catalog, List<String> path) {
        if (path.size() != 2) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a path of schema and table, found " + path);
        }
        return catalog.table(path.get(0), path.get(1));
    }

    private static ScanTicket ticket(TableSchema table, int shard, LeasedSnapshot snapshot) {
        return ScanTicket.of(
                        table.id(),
                        ScanMode.SNAPSHOT,
                        table.columns().stream().map(ColumnSchema::id).toList())
                .at(snapshot.id(), snapshot.lsn())
                .ofVersion(table.schemaVersion())
                .in(table.shard(shard))
                .build();
    }

    private FlightInfo info(TableSchema table, List<FlightEndpoint> endpoints) {
        TableStatistics statistics = engine.engine().statistics(table.id());
        FlightDescriptor descriptor = FlightDescriptor.path(table.schemaName(), table.tableName());
        return new FlightInfo(
                schemaMessage(table),
                Optional.of(descriptor),
                endpoints,
                statistics.rowCount(),
                statistics.sizeBytes(),
                false,
                new byte[0]);
    }

    private static byte[] schemaMessage(TableSchema table) {
        return IpcMessages.encapsulate(
                ByteBuffer.wrap(ArrowSchemas.toMessage(ArrowSchemas.fields(table.columns()))));
    }
}
