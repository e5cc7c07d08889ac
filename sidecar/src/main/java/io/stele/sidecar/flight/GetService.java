package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.cache.ReadAccount;
import io.stele.engine.StorageEngine;
import io.stele.engine.aggregate.AggregateCache;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.retrieval.RetrievalReport;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.api.status.ReadCounters;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.schema.TableSchema;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.fragment.Edge;
import io.stele.scheduler.fragment.PullAhead;
import io.stele.scheduler.fragment.Pulled;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.access.Privilege;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.engine.Blocking;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.flight.call.AuthenticationInterceptor;
import io.stele.sidecar.flight.call.QueryIdentityInterceptor;
import io.stele.sidecar.flight.call.ReadLsnInterceptor;
import io.stele.sidecar.flight.call.SqlCallerInterceptor;
import io.stele.sidecar.flight.sql.BatchOutput;
import io.stele.sidecar.flight.sql.FlightSqlService;
import io.stele.sidecar.flight.sql.SqlCaller;
import io.stele.sidecar.flight.sql.SqlMessages;
import io.stele.sidecar.flight.sql.SqlResult;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.scheduling.QueryGroup;
import io.stele.sidecar.scheduling.QueryRead;
import io.stele.sidecar.scheduling.ReadAdmission;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

/**
 * The implementation of Flight's DoGet, which streams the rows of a shard, a lookup or an
 * aggregation at a snapshot, at the client's pace. Fragments make them on execution contexts of the
 * call's query, in the scheduling group that its identity selects. Thread safe.
 */
final class GetService {
    // The scan releases its lease when it ends; this is for a process that dies before.
    private static final Duration OWN_LEASE = Duration.ofHours(1);

    /**
     * Batches of a scan in memory: the one that is being made, one ahead, two that were pulled and
     * wait to be sent, and one in gRPC.
     */
    private static final int BATCHES_OF_SCAN = 5;

    private final EngineService engine;
    private final AccessControl access;
    private final ReadMetrics metrics;
    private final FlightSqlService sql;
    private final Optional<AggregateCache> aggregateCache;
    private final ThreadFactory threads;
    private final long batchBytes;
    private final long aggregationBytes;
    private final long stallTimeoutNanos;

    GetService(
            FlightConfig config,
            EngineService engine,
            AccessControl access,
            ReadMetrics metrics,
            Optional<AggregateCache> aggregateCache,
            FlightSqlService sql,
            ThreadFactory threads) {
        this.sql = requireNonNull(sql, "sql is null");
        this.aggregateCache = requireNonNull(aggregateCache, "aggregateCache is null");
        this.access = requireNonNull(access, "access is null");
        this.engine = requireNonNull(engine, "engine is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.batchBytes = config.getReadBatchSize().toBytes();
        this.aggregationBytes = config.getAggregationMaxSize().toBytes();
        this.stallTimeoutNanos =
                config.getStalledStreamTimeout().roundTo(java.util.concurrent.TimeUnit.NANOSECONDS);
    }

    void doGet(Ticket ticket, StreamObserver<FlightData> responses) {
        // One batch may wait in gRPC while the next one is made.
        int readyThreshold = Math.toIntExact(batchBytes);
        OutboundStream<FlightData> stream =
                new OutboundStream<>(
                        (ServerCallStreamObserver<FlightData>) responses,
                        readyThreshold,
                        stallTimeoutNanos);
        // A thread of its own, because gRPC reports readiness and cancellation on the thread of
        // this method. It computes nothing; it only waits for batches and for the client.
        Optional<Lsn> atLeast = ReadLsnInterceptor.latest(Optional.empty());
        if (SqlMessages.isSql(ticket.bytes())) {
            SqlCaller caller = SqlCallerInterceptor.current();
            threads.newThread(() -> serveSql(ticket, caller, stream)).start();
            return;
        }
        AuthenticatedUser user = AuthenticationInterceptor.user();
        QueryIdentity identity = QueryIdentityInterceptor.current();
        ReadCountersInterceptor.Call call = ReadCountersInterceptor.current();
        threads.newThread(() -> serve(ticket, user, identity, call, atLeast, stream)).start();
    }

    private void serveSql(Ticket ticket, SqlCaller caller, OutboundStream<FlightData> stream) {
        try {
            SqlResult result = sql.result(ticket.bytes(), caller);
            stream.onCancel(result::cancel);
            result.send(
                    new BatchOutput() {
                        @Override
                        public void schema(byte[] message) {
                            stream.send(FlightData.schema(ByteBuffer.wrap(message)));
                        }

                        @Override
                        public void batch(ArrowMessage batch) {
                            stream.send(FlightData.of(batch.header(), batch.body()));
                            metrics.scanned(batch.rowCount(), batch.bodySizeBytes());
                        }
                    });
            if (!stream.isCancelled()) {
                stream.complete();
            }
        } catch (IOException | RuntimeException e) {
            if (!stream.isCancelled()) {
                stream.fail(CallFailures.describe("DoGet", e));
            }
        }
    }

    private void serve(
            Ticket ticket,
            AuthenticatedUser user,
            QueryIdentity identity,
            ReadCountersInterceptor.Call call,
            Optional<Lsn> atLeast,
            OutboundStream<FlightData> stream) {
        try {
            ScanTicket scan = ScanTicket.decode(ticket.bytes());
            checkAccess(scan, user);
            String table = tableName(scan);
            ReadAccount account = new ReadAccount();
            try {
                account.run(() -> send(scan, identity, atLeast, stream));
            } finally {
                ReadCounters counters = RetrievalReport.counters(account);
                call.read(counters);
                engine.retrievalReport().add(table, identity.queryId(), counters);
            }
            if (!stream.isCancelled()) {
                stream.complete();
            }
        } catch (RuntimeException e) {
            if (!stream.isCancelled()) {
                stream.fail(CallFailures.describe("DoGet", e));
            }
        }
    }

    private String tableName(ScanTicket ticket) {
        return engine.engine()
                .catalog()
                .current()
                .findTable(ticket.tableId())
                .map(entry -> entry.schema().qualifiedName())
                .orElse(RetrievalReport.OTHERS); // dropped
    }

    /** Checks the table that a ticket names, because a client can make any ticket. */
    private void checkAccess(ScanTicket ticket, AuthenticatedUser user) {
        if (access.isRestricted(user)) {
            TableSchema table = engine.engine().catalog().current().table(ticket.tableId());
            access.check(user, table.schemaName(), table.tableName(), Set.of(Privilege.SELECT));
        }
    }

    private void send(
            ScanTicket ticket,
            QueryIdentity identity,
            Optional<Lsn> atLeast,
            OutboundStream<FlightData> stream) {
        QueryGroup group = engine.queries().group(identity);
        // A few rows by key do not wait behind scans, and the client takes all at once
        boolean isLookup = ticket.shard().isEmpty() && ticket.mode() == ScanMode.LOOKUP;
        try (QueryRead read =
                isLookup ? group.openLookup() : group.openScan(identity, memoryBytes(ticket))) {
            stream.await(read.admission(), () -> read.admission().cancel(false));
            send(ticket, new Scan(read, stream), atLeast);
        }
    }

    /** The memory of a scan's batches, or of an aggregation's groups, in bytes; at most. */
    private long memoryBytes(ScanTicket ticket) {
        return ticket.aggregation().isPresent()
                ? statesOfAggregation() * aggregationBytes
                : BATCHES_OF_SCAN * batchBytes;
    }

    /**
     * The states of an aggregation that may have the greatest size at once: that of each worker,
     * the merged one, and those that wait to be merged.
     */
    private long statesOfAggregation() {
        return engine.queries().workers() + 2L;
    }

    /** An admitted read. */
    private record Scan(QueryRead read, OutboundStream<FlightData> stream) {}

    private void send(ScanTicket ticket, Scan scan, Optional<Lsn> atLeast) {
        StorageEngine open = engine.engine();
        if (ticket.snapshotId().isPresent()) {
            LeasedSnapshot leased = open.snapshot(ticket.snapshotId().get());
            if (atLeast.isPresent() && leased.lsn().compareTo(atLeast.get()) < 0) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected a ticket whose snapshot sees LSN "
                                + atLeast.get()
                                + ", found "
                                + leased.lsn());
            }
            send(ticket, scan, leased, () -> {});
            return;
        }
        LeasedSnapshot snapshot =
                Blocking.await(open.openSnapshot(ticket.readLsn(), atLeast, OWN_LEASE));
        send(ticket, scan, snapshot, () -> open.closeSnapshot(snapshot.id()));
    }

    /**
     * Sends the rows.
     *
     * @param ended called when the fragment no longer needs the snapshot
     */
    private void send(ScanTicket ticket, Scan scan, LeasedSnapshot snapshot, Runnable ended) {
        metrics.scanStarted(ticket.mode());
        StorageEngine open = engine.engine();
        if (ticket.aggregation().isPresent()) {
            try {
                aggregate(ticket, ticket.aggregation().get(), scan, snapshot);
            } finally {
                ended.run();
            }
            return;
        }
        String name =
                "scan of table id %s in %s"
                        .formatted(
                                ticket.tableId().value(),
                                ticket.shard().map(id -> "shard " + id).orElse("all shards"));
        ExecutionContext context =
                ticket.mode() == ScanMode.LOOKUP
                        ? scan.read().lookupContext(name)
                        : scan.read().scanContext(name);
        Edge<ScanBatch> edge =
                ScanFragment.open(
                        context,
                        ticket,
                        () -> open(open, ticket, snapshot),
                        batchBytes,
                        engine.queries().storeReads(),
                        ended);
        try {
            send(edge, scan);
        } finally {
            edge.cancel();
            context.join();
        }
    }

    private void send(Edge<ScanBatch> edge, Scan scan) {
        OutboundStream<FlightData> stream = scan.stream();
        PullAhead<ScanBatch> batches = new PullAhead<>(edge);
        while (true) {
            Pulled<ScanBatch> pulled = stream.await(batches.next(), edge::cancel);
            if (pulled.batch().isEmpty()) {
                return;
            }
            ScanBatch batch = pulled.batch().get();
            if (!stream.isReady()) {
                scan.read().pause(); // the client may read other scans before this one
            }
            stream.send(batch.message());
            CompletableFuture<ReadAdmission.Permit> resumed = scan.read().resume();
            stream.await(resumed, () -> resumed.cancel(false));
            if (batch.rowCount() > 0) {
                metrics.scanned(batch.rowCount(), batch.message().bodySizeBytes());
            }
        }
    }

    private void aggregate(
            ScanTicket ticket, Aggregation aggregation, Scan scan, LeasedSnapshot snapshot) {
        StorageEngine open = engine.engine();
        // With less memory there are more passes, each of fewer groups.
        long stateBytes =
                Math.min(aggregationBytes, scan.read().maxMemoryBytes() / statesOfAggregation());
        AggregateFragments parts =
                new AggregateFragments(
                        open.aggregate(
                                snapshot,
                                ticket.tableId(),
                                schemaVersion(open, ticket),
                                ticket.predicate(),
                                aggregation,
                                aggregateCache.filter(cache -> aggregation.usesCache()),
                                stateBytes),
                        scan.read(),
                        engine.queries().sharedResults(),
                        engine.queries().storeReads(),
                        engine.queries().workers(),
                        engine.readingAhead().isPresent());
        String name = "aggregation of table id " + ticket.tableId().value();
        metrics.aggregated(parts.send(name, scan.stream(), batchBytes));
    }

    private static int schemaVersion(StorageEngine open, ScanTicket ticket) {
        return ticket.schemaVersion()
                .orElseGet(() -> open.catalog().current().table(ticket.tableId()).schemaVersion());
    }

    private static RowCursor open(StorageEngine open, ScanTicket ticket, LeasedSnapshot snapshot)
            throws IOException {
        int schemaVersion = schemaVersion(open, ticket);
        List<Integer> stored = ticket.columnIds().stream().filter(id -> id > 0).toList();
        RowCursor rows = open(open, ticket, snapshot, schemaVersion, stored);
        return ticket.fields().isEmpty()
                ? rows
                : NarrowedRows.of(rows, stored, ticket.fields().get());
    }

    private static RowCursor open(
            StorageEngine open,
            ScanTicket ticket,
            LeasedSnapshot snapshot,
            int schemaVersion,
            List<Integer> stored)
            throws IOException {
        if (ticket.shard().isEmpty()) {
            return open.lookUp(
                    snapshot, ticket.tableId(), schemaVersion, ticket.predicate(), ticket.keys());
        }
        if (ticket.changesAfter().isPresent()) {
            return open.changes(
                    snapshot,
                    ticket.tableId(),
                    schemaVersion,
                    ticket.shard().get(),
                    ticket.changesAfter().get(),
                    ticket.changesUpTo().orElse(snapshot.lsn()),
                    ticket.predicate(),
                    ticket.beforeImages().orElse(false));
        }
        return open.scan(
                snapshot,
                ticket.tableId(),
                schemaVersion,
                ticket.shard().get(),
                ticket.mode(),
                ticket.predicate(),
                stored);
    }
}
