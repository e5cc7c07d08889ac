package io.stele.engine;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.wal.LogReadPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Opens snapshots over all shards of a node: one LSN, at or below which every shard has applied all
 * records of the log. Safe for use by many threads.
 */
final class ReadPointOpener {
    private final EngineLog log;
    private final Shards shards;
    private final ReadPoints readPoints;
    private final CatalogService catalog;

    ReadPointOpener(EngineLog log, Shards shards, ReadPoints readPoints, CatalogService catalog) {
        this.log = requireNonNull(log, "log is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.readPoints = requireNonNull(readPoints, "readPoints is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    /** As {@link StorageEngine#openReadPoint(Optional, Optional, Duration)}. */
    CompletableFuture<ReadPoint> open(Optional<Lsn> at, Optional<Lsn> atLeast, Duration ttl) {
        AtomicReference<LogReadPoint> taken = new AtomicReference<>();
        ReadPoint point =
                readPoints.open(
                        () -> choose(at, atLeast, taken), catalog.current(), ttl.toMillis());
        LogReadPoint present = requireNonNull(taken.get());
        return awaitApplied(present)
                .handle(
                        (done, failed) -> {
                            if (failed != null) {
                                readPoints.close(point.id());
                                throw toStele(failed);
                            }
                            return point;
                        });
    }

    private Lsn choose(
            Optional<Lsn> at, Optional<Lsn> atLeast, AtomicReference<LogReadPoint> taken) {
        LogReadPoint present = log.readPoint(shards.ids());
        taken.set(present);
        Lsn lsn = at.orElse(present.lsn());
        if (lsn.compareTo(present.lsn()) > 0) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a read point at or before the present LSN "
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

    private CompletableFuture<@Nullable Void> awaitApplied(LogReadPoint point) {
        List<CompletableFuture<@Nullable Void>> waits = new ArrayList<>();
        for (Map.Entry<ShardId, Lsn> last : point.lastAssigned().entrySet()) {
            waits.add(awaitApplied(shards.shard(last.getKey()), last.getValue()));
        }
        return CompletableFuture.allOf(waits.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> null);
    }

    /**
     * A stopped shard is not waited for: reads of its tables fail with the reason, and others
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
                : new SteleException(
                        ErrorCode.INTERNAL, "Cannot open a read point: " + cause, cause);
    }
}
