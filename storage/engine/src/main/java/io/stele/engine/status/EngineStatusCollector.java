package io.stele.engine.status;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexView;
import io.stele.engine.node.EngineLog;
import io.stele.engine.node.Shards;
import io.stele.engine.read.FileLists;
import io.stele.engine.recovery.LostTables;
import io.stele.engine.shard.Damage;
import io.stele.engine.shard.StoreWait;
import io.stele.engine.shard.apply.ApplyStatus;
import io.stele.engine.shard.maintenance.MaintenanceFailure;
import io.stele.engine.shard.write.GateStatus;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.engine.transaction.Transactions;
import io.stele.engine.wal.HybridClock;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.status.ShardStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A collector of {@link EngineStatus} from the in-memory state of an engine's parts, for monitoring
 * requests. Safe for use by many threads.
 */
public final class EngineStatusCollector {
    private final HybridClock lsns;
    private final SnapshotRegistry snapshots;
    private final Transactions transactions;
    private final Shards shards;
    private final EngineLog log;
    private final TableFiles files;
    private final FileLists fileLists;
    private final CatalogService catalog;
    private final LostTables lost;
    private final long openedMillis;

    public EngineStatusCollector(
            HybridClock lsns,
            SnapshotRegistry snapshots,
            Transactions transactions,
            Shards shards,
            EngineLog log,
            TableFiles files,
            FileLists fileLists,
            CatalogService catalog,
            LostTables lost) {
        this.lost = requireNonNull(lost, "lost is null");
        this.fileLists = requireNonNull(fileLists, "fileLists is null");
        this.lsns = requireNonNull(lsns, "lsns is null");
        this.openedMillis = lsns.last().millis();
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.log = requireNonNull(log, "log is null");
        this.files = requireNonNull(files, "files is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    public EngineStatus collect() {
        List<ShardStatus> statuses = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        List<Damage> damages = new ArrayList<>();
        List<MaintenanceFailure> maintenanceFailures = new ArrayList<>();
        List<StoreWait> storeWaits = new ArrayList<>();
        Map<ShardId, ApplyStatus> applies = new HashMap<>();
        long waiting = 0;
        GateStatus gates = GateStatus.OPEN;
        catalog.damage()
                .ifPresent(
                        damage ->
                                damages.add(
                                        new Damage(
                                                Optional.empty(),
                                                Optional.empty(),
                                                damage.object(),
                                                String.valueOf(damage.reason().getMessage()),
                                                openedMillis)));
        for (Shards.Entry entry : shards.all()) {
            gates = gates.plus(entry.shard().gateStatus());
            statuses.add(status(entry));
            applies.put(entry.shard().id(), entry.shard().applyStatus());
            waiting += entry.shard().waitingBytes();
            entry.shard().storeWait().ifPresent(storeWaits::add);
            damages.addAll(entry.shard().damages());
            maintenanceFailures.addAll(entry.maintenance().failures());
            entry.shard()
                    .failure()
                    .ifPresent(cause -> failed.add(String.valueOf(cause.getMessage())));
        }
        damages.addAll(lost.damages(shards.lostTables()));
        return new EngineStatus(
                lsns.last(),
                lsns.heldMillis(),
                snapshots.openCount(),
                transactions.openCount(),
                shards.budget().usedBytes(),
                waiting,
                log.status(),
                statuses,
                failed,
                damages,
                maintenanceFailures,
                storeWaits,
                caches(),
                gates,
                tableStatuses(),
                applies);
    }

    private List<CacheStatistics> caches() {
        List<CacheStatistics> caches = new ArrayList<>(files.cacheStatistics());
        caches.add(fileLists.statistics());
        return List.copyOf(caches);
    }

    private List<TableStatus> tableStatuses() {
        List<TableStatus> tables = new ArrayList<>();
        for (TableEntry entry : catalog.current().tables()) {
            try {
                tables.add(TableStatus.of(entry.schema(), shards));
            } catch (SteleException dropped) {
                // it has no status any more
            }
        }
        return tables;
    }

    private static ShardStatus status(Shards.Entry entry) {
        long rows = 0;
        long bytes = 0;
        long fileCount = 0;
        long fileBytes = 0;
        for (TableShard table : entry.shard().tables()) {
            TableView view = table.view();
            rows += view.memoryVersions();
            bytes += view.memoryBytes();
            fileCount += view.sstFiles().size() + view.columnFiles().size();
            fileBytes += view.sstFiles().stream().mapToLong(file -> file.entry().sizeBytes()).sum();
            fileBytes +=
                    view.columnFiles().stream().mapToLong(file -> file.entry().sizeBytes()).sum();
            for (IndexView index : view.indexes()) {
                fileCount += index.files().size();
                fileBytes += index.fileBytes();
            }
        }
        return new ShardStatus(
                entry.shard().id(),
                entry.shard().appliedLsn(),
                rows,
                bytes,
                fileCount,
                fileBytes,
                entry.maintenance().manifestVersion());
    }
}
