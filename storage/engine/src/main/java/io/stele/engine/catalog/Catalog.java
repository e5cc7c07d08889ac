package io.stele.engine.catalog;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.ViewSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * An immutable snapshot of all schemas, table groups, tables and views as of one catalog version,
 * which readers share and statements replace.
 *
 * <p>Invariant: every table is in a schema and a table group of the snapshot, and has the shard
 * count of its group. Invariant: no two public tables have one name; a staged table may have the
 * name of a public table, which is checked when it is published. Invariant: no view has the name of
 * a public table. Invariant: a materialized view has a table of state STORAGE in its schema, and
 * every table of that state belongs to one view. Invariant: ids are never used twice.
 */
public final class Catalog {
    private final long version;
    private final SortedSet<String> schemas;
    private final SortedMap<Integer, TableGroup> tableGroups;
    private final SortedMap<TableId, TableEntry> tables;
    private final Map<TableId, TableEntry> predecessors; // by the id of their successor
    private final SortedMap<String, SortedMap<String, TableSchema>> publicTables;
    private final SortedMap<String, SortedMap<String, ViewSchema>> views;
    private final long nextTableId;
    private final int nextTableGroupId;
    private final long epoch;
    private final List<GivenUpIds> givenUp;
    private final List<CompletedStatement> statements; // oldest first

    private Catalog(long version, CatalogSnapshot snapshot) {
        this.version = version;
        this.nextTableId = snapshot.nextTableId();
        this.nextTableGroupId = snapshot.nextTableGroupId();
        this.epoch = snapshot.epoch().orElse(0);
        this.givenUp = snapshot.givenUp();
        this.statements = snapshot.statements();
        this.schemas = Collections.unmodifiableSortedSet(new TreeSet<>(snapshot.schemas()));
        SortedMap<Integer, TableGroup> groups = new TreeMap<>();
        for (TableGroup group : snapshot.tableGroups()) {
            check(
                    group.id() < nextTableGroupId && groups.put(group.id(), group) == null,
                    "a new table group id",
                    group.id());
        }
        this.tableGroups = Collections.unmodifiableSortedMap(groups);
        this.publicTables = new TreeMap<>();
        schemas.forEach(schema -> publicTables.put(schema, new TreeMap<>()));
        SortedMap<TableId, TableEntry> byId = new TreeMap<>();
        for (TableEntry entry : snapshot.tables()) {
            addTable(byId, entry);
        }
        this.tables = Collections.unmodifiableSortedMap(byId);
        Map<TableId, TableEntry> replaced = new HashMap<>();
        for (TableEntry entry : byId.values()) {
            entry.successor().ifPresent(next -> replaced.put(next.tableId(), entry));
        }
        this.predecessors = Map.copyOf(replaced);
        this.views = new TreeMap<>();
        schemas.forEach(schema -> views.put(schema, new TreeMap<>()));
        Set<TableId> storage = new HashSet<>();
        snapshot.views().forEach(view -> addView(view, storage));
        for (TableEntry entry : byId.values()) {
            check(
                    entry.state() != TableState.STORAGE || storage.contains(entry.schema().id()),
                    "a materialized view of each storage table",
                    entry.schema().id());
        }
    }

    /** The empty catalog of version 0, which is never stored. */
    static Catalog empty() {
        return new Catalog(
                0,
                new CatalogSnapshot(
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        1,
                        1,
                        OptionalLong.empty(),
                        List.of(),
                        List.of()));
    }

    static Catalog of(long version, CatalogSnapshot snapshot) {
        return new Catalog(version, snapshot);
    }

    CatalogSnapshot toSnapshot() {
        return new CatalogSnapshot(
                List.copyOf(schemas),
                List.copyOf(tableGroups.values()),
                List.copyOf(tables.values()),
                views.values().stream().flatMap(inSchema -> inSchema.values().stream()).toList(),
                nextTableId,
                nextTableGroupId,
                epoch == 0 ? OptionalLong.empty() : OptionalLong.of(epoch),
                givenUp,
                statements);
    }

    public long version() {
        return version;
    }

    /**
     * The epoch of the engine that wrote this version; an engine with a higher epoch fences those
     * with a lower one.
     */
    public long epoch() {
        return epoch;
    }

    /** The next table id, which is above the id of every table that ever existed. */
    public long nextTableId() {
        return nextTableId;
    }

    /** The statement of an id, if it took effect and is one of the last statements. */
    Optional<CompletedStatement> findStatement(UUID id) {
        return statements.stream().filter(statement -> statement.id().equals(id)).findAny();
    }

    /** Whether a catalog version was ever given up. */
    public boolean hasGivenUp() {
        return !givenUp.isEmpty();
    }

    /**
     * Whether a table that is not in this catalog may have been in a version that was given up or
     * is missing. If its id was never assigned in this catalog's history, it was not dropped.
     */
    public boolean isLost(TableId tableId) {
        return !tables.containsKey(tableId)
                && (tableId.value() >= nextTableId
                        || givenUp.stream().anyMatch(ids -> ids.has(tableId)));
    }

    /** Whether no version up to this one has had a table group. */
    boolean isNewGroup(int tableGroup) {
        return tableGroup >= nextTableGroupId;
    }

    /** As {@link #isLost}, for a table group. */
    public boolean isLostGroup(int tableGroup) {
        return isNewGroup(tableGroup) || givenUp.stream().anyMatch(ids -> ids.hasGroup(tableGroup));
    }

    /** Names of all schemas, in order. */
    public SortedSet<String> schemas() {
        return schemas;
    }

    /** All table groups, by id. */
    public Collection<TableGroup> tableGroups() {
        return tableGroups.values();
    }

    /** Every table, staged ones included, by id. */
    public Collection<TableEntry> tables() {
        return tables.values();
    }

    /** The public tables of a schema, by name; SCHEMA_NOT_FOUND if there is no such schema. */
    public List<TableSchema> listTables(String schemaName) {
        requireSchema(schemaName);
        return new ArrayList<>(
                publicTables.getOrDefault(schemaName, Collections.emptySortedMap()).values());
    }

    /** The public table of a name; empty also if the schema does not exist. */
    public Optional<TableSchema> findTable(String schemaName, String tableName) {
        return Optional.ofNullable(publicTables.get(schemaName))
                .map(inSchema -> inSchema.get(tableName));
    }

    /** The public table of a name; SCHEMA_NOT_FOUND or TABLE_NOT_FOUND. */
    public TableSchema table(String schemaName, String tableName) {
        requireSchema(schemaName);
        return findTable(schemaName, tableName)
                .orElseThrow(
                        () ->
                                new SteleException(
                                        ErrorCode.TABLE_NOT_FOUND,
                                        "Expected a table '%s.%s', found none"
                                                .formatted(schemaName, tableName)));
    }

    /** The views of a schema, by name; SCHEMA_NOT_FOUND if there is no such schema. */
    public List<ViewSchema> listViews(String schemaName) {
        requireSchema(schemaName);
        return new ArrayList<>(
                views.getOrDefault(schemaName, Collections.emptySortedMap()).values());
    }

    /** The view of a name; empty also if the schema does not exist. */
    public Optional<ViewSchema> findView(String schemaName, String viewName) {
        return Optional.ofNullable(views.get(schemaName)).map(inSchema -> inSchema.get(viewName));
    }

    /**
     * The view of a name and kind.
     *
     * @throws SteleException SCHEMA_NOT_FOUND or TABLE_NOT_FOUND
     */
    public ViewSchema view(String schemaName, String viewName, boolean materialized) {
        requireSchema(schemaName);
        Optional<ViewSchema> found = findView(schemaName, viewName);
        return found.filter(view -> view.isMaterialized() == materialized)
                .orElseThrow(
                        () ->
                                new SteleException(
                                        ErrorCode.TABLE_NOT_FOUND,
                                        "Expected a %sview '%s.%s', found %s"
                                                .formatted(
                                                        materialized ? "materialized " : "",
                                                        schemaName,
                                                        viewName,
                                                        found.map(Catalog::kind).orElse("none"))));
    }

    private static String kind(ViewSchema view) {
        return view.isMaterialized() ? "a materialized one" : "one that is not materialized";
    }

    /** The table of an id, in any state. */
    public Optional<TableEntry> findTable(TableId tableId) {
        return Optional.ofNullable(tables.get(tableId));
    }

    /**
     * The table of an id, staged or public; STALE_TABLE if it was dropped, truncated or replaced.
     */
    public TableSchema table(TableId tableId) {
        return entry(tableId).schema();
    }

    /**
     * The table of an id for a reader as of an LSN, also if it was replaced after that LSN.
     *
     * @throws SteleException STALE_TABLE if it was dropped, or truncated or replaced at or before
     *     the LSN
     */
    public TableSchema table(TableId tableId, Lsn readLsn) {
        TableEntry found = tables.get(tableId);
        boolean isFormer =
                found != null
                        && found.successor()
                                .filter(next -> readLsn.compareTo(next.lsn()) < 0)
                                .isPresent();
        return found != null && isFormer ? found.schema() : table(tableId);
    }

    /**
     * The table that had the place of a table as of an LSN: the table itself, or a predecessor that
     * was replaced later. If the LSN is before all of them, the oldest retained predecessor.
     */
    public TableEntry entryAsOf(TableId tableId, Lsn lsn) {
        TableEntry entry = entry(tableId);
        while (true) {
            Optional<TableEntry> before = findPredecessor(entry.schema().id());
            if (before.isEmpty() || !isBefore(lsn, entry, before.get())) {
                return entry;
            }
            entry = before.get();
        }
    }

    private static boolean isBefore(Lsn lsn, TableEntry entry, TableEntry predecessor) {
        return entry.history()
                .createdLsn()
                .or(() -> predecessor.successor().map(TableEntry.Successor::lsn))
                .filter(begin -> lsn.compareTo(begin) < 0)
                .isPresent();
    }

    /** The table that a table replaced. */
    public Optional<TableEntry> findPredecessor(TableId tableId) {
        return Optional.ofNullable(predecessors.get(tableId));
    }

    TableEntry entry(TableId tableId) {
        TableEntry entry = tables.get(tableId);
        if (entry == null || entry.state() == TableState.REPLACED) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected table id %s, found none: it was dropped, truncated or replaced"
                            .formatted(tableId));
        }
        return entry;
    }

    public Optional<TableGroup> findTableGroup(String name) {
        return tableGroups.values().stream().filter(group -> group.name().equals(name)).findFirst();
    }

    /** The table group of an id; INTERNAL if there is none, since ids come from tables. */
    public TableGroup tableGroup(int tableGroupId) {
        TableGroup group = tableGroups.get(tableGroupId);
        if (group == null) {
            throw new SteleException(
                    ErrorCode.INTERNAL, "Expected table group id " + tableGroupId + ", found none");
        }
        return group;
    }

    void requireSchema(String schemaName) {
        if (!schemas.contains(schemaName)) {
            throw new SteleException(
                    ErrorCode.SCHEMA_NOT_FOUND,
                    "Expected a schema '%s', found none".formatted(schemaName));
        }
    }

    private void addTable(SortedMap<TableId, TableEntry> byId, TableEntry entry) {
        TableSchema schema = entry.schema();
        check(
                schema.id().value() < nextTableId && byId.put(schema.id(), entry) == null,
                "a new table id",
                schema.id());
        SortedMap<String, TableSchema> inSchema = publicTables.get(schema.schemaName());
        check(inSchema != null, "the schema of table id " + schema.id(), schema.schemaName());
        TableGroup group = tableGroups.get(schema.tableGroup());
        check(group != null, "the table group of table id " + schema.id(), schema.tableGroup());
        if (inSchema == null || group == null) {
            return;
        }
        check(
                group.shardCount() == schema.shardCount(),
                "shard count " + group.shardCount(),
                schema.shardCount());
        if (entry.state() == TableState.PUBLIC) {
            check(
                    inSchema.put(schema.tableName(), schema) == null,
                    "one table of a name",
                    schema.qualifiedName());
        }
    }

    private void addView(ViewSchema view, Set<TableId> storage) {
        SortedMap<String, ViewSchema> inSchema = views.get(view.schemaName());
        check(inSchema != null, "the schema of view " + view.viewName(), view.schemaName());
        if (inSchema == null) {
            return;
        }
        check(
                findTable(view.schemaName(), view.viewName()).isEmpty()
                        && inSchema.put(view.viewName(), view) == null,
                "one table or view of a name",
                view.qualifiedName());
        if (view.storageTable().isPresent()) {
            TableId tableId = view.storageTable().get();
            TableEntry entry = tables.get(tableId);
            check(
                    entry != null
                            && entry.state() == TableState.STORAGE
                            && entry.schema().schemaName().equals(view.schemaName())
                            && storage.add(tableId),
                    "a storage table of its own of view " + view.qualifiedName(),
                    tableId);
        }
    }

    private void check(boolean condition, String expected, Object found) {
        if (!condition) {
            throw new SteleException(
                    ErrorCode.INTERNAL,
                    "Expected %s, found %s in catalog version %d"
                            .formatted(expected, found, version));
        }
    }
}
