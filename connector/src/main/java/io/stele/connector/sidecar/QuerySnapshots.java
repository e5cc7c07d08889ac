package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.concurrent.Threads;
import io.stele.connector.config.SteleConfig;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.OpenVersionReply;
import io.stele.protocol.api.snapshot.OpenVersionRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.schema.TableSchema;
import jakarta.annotation.PreDestroy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A client on the coordinator that opens snapshots of the sidecar for queries, and describes the
 * tables to read; {@link Leases} renews them. Thread-safe.
 */
public final class QuerySnapshots {
    private final SteleSidecar sidecar;
    private final long ttlMillis;
    private final EndedSnapshots ended;
    private final Leases leases;
    private final ScheduledExecutorService ends =
            Executors.newSingleThreadScheduledExecutor(
                    Threads.daemonThreadsNamed("stele-snapshots"));

    @Inject
    public QuerySnapshots(SteleSidecar sidecar, Leases leases, SteleConfig config) {
        this.leases = requireNonNull(leases, "leases is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.ttlMillis = config.getSnapshotTtl().toMillis();
        this.ended = new EndedSnapshots(sidecar, ends);
    }

    /**
     * A snapshot of everything acknowledged so far.
     *
     * @param atLeast an LSN that it must see; the sidecar refuses an LSN that it has not reached
     */
    public Lease open(Optional<Lsn> atLeast) {
        SnapshotReply reply =
                sidecar.open(
                        SnapshotActions.OPEN_SNAPSHOT,
                        new OpenSnapshotRequest(List.of(), Optional.empty(), ttlMillis, atLeast));
        return lease(reply);
    }

    /**
     * Opens a snapshot and describes a table or view that is to be read, if there is one, in one
     * request.
     *
     * @param known the version of the caller's metadata, if it caches any
     * @param described whether the caller has the description of this version, and needs it only if
     *     it has changed
     * @param plans tables that are likely to be scanned, if the caller caches plans
     */
    public Opened open(
            TableRequest table,
            Optional<Lsn> atLeast,
            Optional<MetadataVersion> known,
            boolean described,
            Optional<List<CachedPlan>> plans) {
        List<String> reported = ended.take();
        OpenTableReply reply;
        try {
            reply =
                    sidecar.openTable(
                            new OpenTableRequest(
                                    table,
                                    ttlMillis,
                                    atLeast,
                                    known,
                                    Optional.of(described),
                                    Optional.of(reported),
                                    plans));
        } catch (RuntimeException e) {
            ended.giveBack(reported); // ending one twice is no error
            throw e;
        }
        return new Opened(
                reply.relation(),
                reply.snapshot().map(this::lease),
                reply.changes(),
                reply.plans().orElse(List.of()));
    }

    /** A snapshot of the past, and a table as it looked then. */
    public OpenedVersion openVersion(TableName table, Lsn at) {
        OpenVersionReply reply =
                sidecar.open(
                        SnapshotActions.OPEN_VERSION, new OpenVersionRequest(table, ttlMillis, at));
        return new OpenedVersion(
                reply.table().schema(), lease(reply.snapshot()), reply.goneColumns());
    }

    private Lease lease(SnapshotReply reply) {
        leases.addSnapshot(reply.snapshotId());
        return new Lease(reply.snapshotId(), reply.lsn());
    }

    /** Whether a lease was opened here and not closed. */
    public boolean isOpen(String id) {
        return leases.hasSnapshot(id);
    }

    @PreDestroy
    public void stop() {
        ends.shutdownNow();
    }

    /**
     * A relation, and a snapshot at which it can be read; without a relation there is no snapshot.
     *
     * @param relation without table and view if the caller has the description and it has not
     *     changed
     * @param changes since the version that the caller gave, if any
     * @param plans of tables that the caller named
     */
    public record Opened(
            RelationReply relation,
            Optional<Lease> lease,
            Optional<MetadataChanges> changes,
            List<TablePlan> plans) {
        public Opened {
            plans = List.copyOf(plans);
        }
    }

    /**
     * A table as of a past LSN, and a snapshot at which it can be read.
     *
     * @param goneColumns ids of columns that the table had then, whose values are no longer
     *     readable
     */
    public record OpenedVersion(TableSchema table, Lease lease, List<Integer> goneColumns) {
        public OpenedVersion {
            goneColumns = List.copyOf(goneColumns);
        }
    }

    /** An open snapshot and its lease. */
    public final class Lease implements AutoCloseable {
        private final String id;
        private final Lsn lsn;

        private Lease(String id, Lsn lsn) {
            this.id = id;
            this.lsn = lsn;
        }

        public String id() {
            return id;
        }

        public Lsn lsn() {
            return lsn;
        }

        /**
         * Ends the lease without waiting for it, because a query's end waits for this call; where
         * it fails, the lease's time to live ends it.
         */
        @Override
        public void close() {
            leases.removeSnapshot(id);
            ended.add(id);
        }
    }
}
