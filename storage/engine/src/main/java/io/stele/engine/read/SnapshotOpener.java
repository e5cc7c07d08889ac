package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.node.EngineLog;
import io.stele.engine.node.Shards;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.transaction.Coordinator;
import io.stele.engine.wal.SnapshotLsn;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The opener of snapshots over all shards of a node: one LSN, at or below which every shard has
 * applied all records of the log. Safe for use by many threads.
 */
public final class SnapshotOpener {
    private final EngineLog log;
    private final Shards shards;
    private final SnapshotRegistry snapshots;
    private final CatalogService catalog;

    public SnapshotOpener(
            EngineLog log, Shards shards, SnapshotRegistry snapshots, CatalogService catalog) {
        this.log = requireNonNull(log, "log is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    /** As {@code StorageEngine.openSnapshot(Optional, Optional, Duration, Set)}. */
    public CompletableFuture<LeasedSnapshot> open(
            Optional<Lsn> at, Optional<Lsn> atLeast, Duration ttl, Set<TableId> tables) {
        AtomicReference<SnapshotLsn> taken = new AtomicReference<>();
        LeasedSnapshot snapshot =
                snapshots.open(
                        passed -> choose(at, atLeast, passed, taken),
                        catalog.current(),
                        ttl.toMillis(),
                        tables);
        SnapshotLsn present = requireNonNull(taken.get());
        return awaitApplied(present)
                .handle(
                        (done, failed) -> {
                            if (failed != null) {
                                snapshots.close(snapshot.id());
                                throw toStele(failed);
                            }
                            return snapshot;
                        });
    }

    private Lsn choose(
            Optional<Lsn> at,
            Optional<Lsn> atLeast,
            Lsn passed,
            AtomicReference<SnapshotLsn> taken) {
        SnapshotLsn present = log.readLsn(shards.ids());
        Lsn wanted = at.or(() -> atLeast).orElse(passed);
        if (present.lsn().compareTo(wanted) < 0 || present.lsn().compareTo(passed) < 0) {
            present = log.snapshotLsn(shards.ids()); // above a group that is being written
        }
        taken.set(present);
        Lsn lsn = at.orElse(present.lsn());
        if (lsn.compareTo(present.lsn()) > 0) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a snapshot at or before the present LSN "
                            + present.lsn().withTime()
                            + ", found "
                            + lsn.withTime());
        }
        if (atLeast.isPresent() && lsn.compareTo(atLeast.get()) < 0) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a snapshot that sees LSN "
                            + atLeast.get().withTime()
                            + ", found "
                            + lsn.withTime()
                            + (at.isPresent() ? " asked for" : " to be the present"));
        }
        return lsn;
    }

    private CompletableFuture<@Nullable Void> awaitApplied(SnapshotLsn snapshot) {
        List<CompletableFuture<@Nullable Void>> waits = new ArrayList<>();
        for (Map.Entry<ShardId, Lsn> last : snapshot.lastAssigned().entrySet()) {
            waits.add(awaitApplied(shards.shard(last.getKey()), last.getValue()));
        }
        return CompletableFuture.allOf(waits.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> null);
    }

    /**
     * A stopped shard is not waited for: reads of its tables fail with the reason, and other reads
     * continue.
     */
    private static CompletableFuture<@Nullable Void> awaitApplied(TableGroupShard shard, Lsn lsn) {
        return shard.awaitApplied(lsn)
                .handle(
                        (done, failed) -> {
                            if (failed != null && shard.failure().isEmpty()) {
                                throw toStele(failed);
                            }
                            return null;
                        });
    }

    private static SteleException toStele(Throwable failed) {
        Throwable cause = Coordinator.unwrap(failed);
        return cause instanceof SteleException known
                ? known
                : new SteleException(ErrorCode.INTERNAL, "Cannot open a snapshot: " + cause, cause);
    }
}
