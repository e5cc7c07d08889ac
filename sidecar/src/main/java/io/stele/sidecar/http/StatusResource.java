package io.stele.sidecar.http;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.google.inject.Inject;
import io.airlift.node.NodeInfo;
import io.stele.engine.StorageEngine;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.shard.StoreWait;
import io.stele.engine.shard.apply.ApplyStatus;
import io.stele.engine.shard.maintenance.MaintenanceFailure;
import io.stele.engine.shard.write.GateStatus;
import io.stele.engine.status.EngineStatus;
import io.stele.engine.status.TableStatus;
import io.stele.engine.tablet.Traffic;
import io.stele.engine.wal.LogStatus;
import io.stele.objectstore.encryption.Encryption.KeyFingerprint;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.status.ShardStatus;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.framed.FramedServer;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.process.ServingState;
import io.stele.sidecar.process.Version;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The HTTP resource {@code GET /v1/status} of the sidecar's status as JSON, for people, scripts and
 * the connector.
 */
@Path("/v1/status")
public final class StatusResource {
    private final NodeInfo node;
    private final ServingState state;
    private final EngineService engine;
    private final AccessMetrics access;
    private final FramedServer framed;

    @Inject
    public StatusResource(
            NodeInfo node,
            ServingState state,
            EngineService engine,
            AccessMetrics access,
            FramedServer framed) {
        this.node = requireNonNull(node, "node is null");
        this.state = requireNonNull(state, "state is null");
        this.engine = requireNonNull(engine, "engine is null");
        this.access = requireNonNull(access, "access is null");
        this.framed = requireNonNull(framed, "framed is null");
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public Status status() {
        long uptimeMillis =
                Duration.between(Instant.ofEpochMilli(node.getStartTime()), Instant.now())
                        .toMillis();
        Endpoints endpoints =
                new Endpoints(
                        access.getFramedConnections(),
                        framed.pendingBytes(),
                        framed.replyBytes(),
                        framed.waitingReplies(),
                        access.getFlightStreams());
        Optional<StorageEngine> running = running();
        return new Status(
                node.getNodeId(),
                Version.current(),
                uptimeMillis,
                running.isPresent() && state.ports().isPresent(),
                engine.warehousePath(),
                engine.encryptionKeys(),
                endpoints,
                running.map(StatusResource::describe));
    }

    /** Empty while the sidecar starts or stops. */
    private Optional<StorageEngine> running() {
        try {
            return Optional.of(engine.engine());
        } catch (SteleException unavailable) {
            return Optional.empty();
        }
    }

    private static Engine describe(StorageEngine engine) {
        EngineStatus status = engine.status();
        LogStatus log = status.log();
        Map<TableId, TableStatus> files =
                status.tables().stream()
                        .collect(toImmutableMap(TableStatus::tableId, table -> table));
        List<Table> tables =
                engine.knownCatalog().current().tables().stream()
                        .map(
                                entry ->
                                        describe(
                                                entry,
                                                statistics(engine, entry.schema()),
                                                Optional.ofNullable(
                                                        files.get(entry.schema().id()))))
                        .toList();
        return new Engine(
                status.lastLsn().value(),
                status.openSnapshots(),
                status.openTransactions(),
                status.memTableBytes(),
                status.waitingWriteBytes(),
                engine.pendingWriteBytes(),
                new Log(
                        log.failed(),
                        log.queuedBytes(),
                        log.groups(),
                        log.records(),
                        log.bytes(),
                        log.firstSegment(),
                        log.lastSegment(),
                        log.space().usedBytes(),
                        log.space().usableBytes() == Long.MAX_VALUE
                                ? OptionalLong.empty()
                                : OptionalLong.of(log.space().usableBytes()),
                        log.space().isFull()),
                status.shards().stream()
                        .map(
                                shard ->
                                        describe(
                                                shard,
                                                requireNonNull(
                                                        status.applies().get(shard.shard()))))
                        .toList(),
                status.failedShards(),
                status.maintenanceFailures().stream().map(MaintenanceFailure::describe).toList(),
                status.storeWaits().stream().map(StoreWait::describe).toList(),
                status.gates(),
                status.traffic().writeAmplification(),
                tables);
    }

    private static Shard describe(ShardStatus shard, ApplyStatus apply) {
        return new Shard(
                shard.shard().tableGroup(),
                shard.shard().index(),
                shard.appliedLsn().value(),
                shard.memoryRows(),
                shard.memoryBytes(),
                shard.fileCount(),
                shard.fileBytes(),
                shard.manifestVersion(),
                apply);
    }

    private static Table describe(
            TableEntry entry, Optional<TableStatistics> statistics, Optional<TableStatus> files) {
        TableSchema schema = entry.schema();
        return new Table(
                schema.schemaName(),
                schema.tableName(),
                schema.id().value(),
                entry.state().name(),
                schema.orientation().name(),
                schema.tableGroup(),
                schema.shardCount(),
                statistics.map(TableStatistics::rowCount).orElse(0L),
                statistics.map(TableStatistics::sizeBytes).orElse(0L),
                files.map(StatusResource::describe));
    }

    /** Empty for a table that is set aside. */
    private static Optional<TableStatistics> statistics(StorageEngine engine, TableSchema schema) {
        try {
            return Optional.of(engine.statistics(schema.id()));
        } catch (SteleException refused) {
            return Optional.empty();
        }
    }

    private static Files describe(TableStatus table) {
        return new Files(
                table.memTableBytes(),
                table.sstFiles(),
                table.columnFiles(),
                table.level0Files(),
                table.deepestLevel(),
                table.historyBytes(),
                table.pendingCompactionBytes(),
                table.traffic(),
                table.traffic().writeAmplification());
    }

    /**
     * The whole reply; {@code engine} is empty while the sidecar starts or stops, and {@code
     * encryptionKeys} while it starts.
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Status(
            String nodeId,
            String version,
            long uptimeMillis,
            boolean ready,
            String warehousePath,
            Optional<List<KeyFingerprint>> encryptionKeys,
            Endpoints endpoints,
            Optional<Engine> engine) {}

    /** The connections of the servers, and the bytes that the framed port holds for its clients. */
    public record Endpoints(
            long framedConnections,
            long framedPendingBytes,
            long framedReplyBytes,
            long framedWaitingReplies,
            long flightStreams) {}

    /** The engine; LSNs are {@code milliseconds << 16 | counter}. */
    public record Engine(
            long lastLsn,
            int openSnapshots,
            int openTransactions,
            long memTableBytes,
            long waitingWriteBytes,
            long pendingWriteBytes,
            Log log,
            List<Shard> shards,
            List<String> failedShards,
            List<String> maintenanceFailures,
            List<String> storeWaits,
            GateStatus writeGates,
            double writeAmplification,
            List<Table> tables) {}

    /**
     * The write-ahead log.
     *
     * @param usableBytes bytes that its disk has left; empty where no limit is known
     * @param full whether some write has found too little room on its disk since there was more
     */
    public record Log(
            boolean failed,
            long queuedBytes,
            long groups,
            long records,
            long bytes,
            long firstSegment,
            long lastSegment,
            long segmentBytes,
            OptionalLong usableBytes,
            boolean full) {}

    /** One shard. */
    public record Shard(
            int tableGroup,
            int index,
            long appliedLsn,
            long memoryRows,
            long memoryBytes,
            long fileCount,
            long fileBytes,
            long manifestVersion,
            ApplyStatus apply) {}

    /** One table, staged ones included. */
    public record Table(
            String schema,
            String name,
            long id,
            String state,
            String orientation,
            int tableGroup,
            int shardCount,
            long rowCount,
            long sizeBytes,
            Optional<Files> files) {}

    /** The files of one table, and what was written for it since the start. */
    public record Files(
            long memTableBytes,
            int sstFiles,
            int columnFiles,
            int level0Files,
            int deepestLevel,
            long historyBytes,
            long pendingCompactionBytes,
            Traffic.Totals traffic,
            double writeAmplification) {}
}
