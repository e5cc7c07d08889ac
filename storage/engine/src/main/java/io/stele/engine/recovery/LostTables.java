package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.shard.Damage;
import io.stele.engine.shard.record.RetainedRecordFilter;
import io.stele.engine.wal.RecordType;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * The tables that only given-up catalog versions knew, found by a start in data files and log
 * records. Their names and columns are unknown, so they are not served. They were not dropped
 * either, so their files and log records stay until an operator drops {@code table/<table id>}.
 *
 * <p>Invariant: no table of the catalog is among them. Filled by recovery on one thread; after that
 * any thread reads.
 */
public final class LostTables {
    private final CatalogService catalog;
    private final DroppedObjects dropped;
    private final Map<TableId, Integer> objects = new TreeMap<>(); // their number in its folder
    private final Set<TableId> logged = new TreeSet<>(); // with records in lost shards
    private final Map<ShardId, RetainedRecordFilter> records = new HashMap<>(); // of these shards
    private final Map<String, Damage> unreadable = new TreeMap<>(); // of lost shards, by object
    private long sinceMillis;
    private long highestFolder; // id of a lost table

    LostTables(CatalogService catalog, DroppedObjects dropped) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.dropped = requireNonNull(dropped, "dropped is null");
    }

    /**
     * Finds the lost tables with data files; call it when the tables of the catalog are loaded.
     *
     * @param folders the names of the folders of data files, one for each table
     */
    public void find(ObjectStore store, List<String> folders, long nowMillis) throws IOException {
        sinceMillis = nowMillis;
        for (String folder : folders) {
            Optional<TableId> table = parse(folder).filter(this::has);
            if (table.isEmpty()) {
                continue;
            }
            highestFolder = Math.max(highestFolder, table.get().value());
            if (catalog.current().hasGivenUp()) {
                AtomicInteger count = new AtomicInteger();
                store.forEach(DroppedObjects.DATA + folder + "/", _ -> count.incrementAndGet());
                if (count.get() > 0) {
                    objects.put(table.get(), count.get());
                }
            }
        }
    }

    boolean has(TableId table) {
        return has(table, catalog.current());
    }

    private boolean has(TableId table, Catalog known) {
        return catalog.damage().isEmpty() && known.isLost(table) && !dropped.hasObject(name(table));
    }

    /**
     * The test whether an object is in the folder of a table that is lost now; later tables of this
     * catalog do not change it.
     */
    public Predicate<String> inLostFolder() {
        Catalog now = catalog.current();
        return path -> {
            int begin = DroppedObjects.DATA.length();
            int end = path.indexOf('/', begin);
            return end >= 0
                    && parse(path.substring(begin, end)).filter(id -> has(id, now)).isPresent();
        };
    }

    private static Optional<TableId> parse(String id) {
        return id.matches("[1-9][0-9]{0,17}")
                ? Optional.of(new TableId(Long.parseLong(id)))
                : Optional.empty();
    }

    /** Whether a shard may have been created by a catalog version that was given up. */
    boolean hasShard(ShardId shard) {
        return catalog.damage().isEmpty() && catalog.current().isLostGroup(shard.tableGroup());
    }

    /** Notes a log record of a lost shard. */
    void note(ShardId shard, Lsn lsn, RecordType type, ByteBuffer payload) {
        if (dropped.hasRecord(shard, lsn)) {
            return;
        }
        try {
            Set<TableId> tables = new TreeSet<>(RetainedRecordFilter.tablesOf(lsn, type, payload));
            boolean isAbout = tables.removeIf(table -> !has(table));
            if (tables.isEmpty() && (isAbout || !records.containsKey(shard))) {
                return;
            }
            logged.addAll(tables);
        } catch (SteleException corrupt) {
            addUnreadable(shard, DroppedObjects.LOG + shard + "/" + lsn, corrupt);
        }
        records.merge(
                shard,
                new RetainedRecordFilter(lsn.value(), lsn.value(), Optional.empty()),
                (known, more) ->
                        new RetainedRecordFilter(
                                Math.min(known.firstLsn(), more.firstLsn()),
                                Math.max(known.lastLsn(), more.lastLsn()),
                                Optional.empty()));
    }

    /** Notes a retained object of a lost shard that cannot be read; the object stays. */
    void noteUnreadable(ShardId shard, String object, Exception broken) {
        addUnreadable(shard, object, broken);
        records.putIfAbsent(shard, new RetainedRecordFilter(0, 0, Optional.empty()));
    }

    private void addUnreadable(ShardId shard, String object, Exception broken) {
        unreadable.put(
                object,
                new Damage(
                        Optional.of(shard),
                        Optional.empty(),
                        object,
                        String.valueOf(broken.getMessage()),
                        sinceMillis));
    }

    /**
     * Reserves every table id found in records of the log or in names of objects, so that it is
     * never assigned again, even if the catalog versions that assigned it are missing.
     *
     * @param loggedInKnown tables with records in the shards that exist
     * @param inDoubt tables of transactions without an outcome yet
     */
    public void leaveOut(ObjectStore store, Set<TableId> loggedInKnown, Set<TableId> inDoubt)
            throws IOException {
        long table = highestFolder;
        for (Set<TableId> tables : List.of(logged, loggedInKnown, inDoubt)) {
            for (TableId one : tables) {
                table = Math.max(table, one.value());
            }
        }
        int group = records.keySet().stream().mapToInt(ShardId::tableGroup).max().orElse(0);
        if (table >= catalog.current().nextTableId()) {
            // Its shards are unknown too: there may be manifests of its table group
            for (ObjectEntry entry : store.list(DroppedObjects.MANIFESTS)) {
                group = Math.max(group, tableGroup(entry.path()));
            }
        }
        catalog.leaveOut(table, group);
    }

    /** The table group of a manifest's path; 0 if the path is no manifest's. */
    private static int tableGroup(String path) {
        String folder = path.substring(DroppedObjects.MANIFESTS.length());
        return ShardNames.parse(folder.substring(0, Math.max(0, folder.indexOf('/'))))
                .map(ShardId::tableGroup)
                .orElse(0);
    }

    /** The records of lost shards that must be retained when the log is trimmed. */
    public Map<ShardId, RetainedRecordFilter> retainedRecords() {
        return Map.copyOf(records);
    }

    /**
     * The damages to list: one for each lost table, and one for each unreadable record.
     *
     * @param loggedInKnown tables with records in the shards that exist
     */
    public List<Damage> damages(Set<TableId> loggedInKnown) {
        Set<TableId> tables = new TreeSet<>(objects.keySet());
        tables.addAll(logged);
        tables.addAll(loggedInKnown);
        List<Damage> damages = new ArrayList<>();
        for (TableId table : tables) {
            damages.add(
                    new Damage(
                            Optional.empty(),
                            Optional.of(table),
                            name(table),
                            "Expected table id %s in the catalog, found that it was created by a version which was given up; %d objects of it and its log records are kept"
                                    .formatted(table, objects.getOrDefault(table, 0)),
                            sinceMillis));
        }
        damages.addAll(unreadable.values());
        return damages;
    }

    private static String name(TableId table) {
        return DroppedObjects.TABLES + table;
    }
}
