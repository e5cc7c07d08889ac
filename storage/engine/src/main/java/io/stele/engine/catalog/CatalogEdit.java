package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.SchemaEditor;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TimeToLiveStep;
import io.stele.protocol.schema.ViewSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * A builder of the next catalog version from the present one, with one method per statement, which
 * throws where the statement is not allowed. Nothing is stored here. Confined to one thread.
 */
final class CatalogEdit {
    /** The maximal number of tables of one catalog, whose versions are written whole. */
    static final int MAX_TABLES = 100_000;

    /**
     * The maximal number of predecessors of one table that are retained for readers of the past:
     * each has files and memory of its own, and a place in every catalog version. A statement every
     * four seconds through a retention of an hour stays below the limit. At the limit, the next
     * statement is refused, since the history of the oldest predecessor is promised.
     */
    static final int MAX_REPLACED = 1_000;

    /** The maximal length of a comment, in characters. */
    static final int MAX_COMMENT_LENGTH = 10_000;

    /** The number of latest statements that a catalog remembers regardless of their age. */
    static final int MIN_STATEMENTS = 200;

    /** The maximal number of remembered statements, about 90 bytes each in every version. */
    static final int MAX_STATEMENTS = 2_000;

    /** 10 minutes: longer than a client repeats a statement. */
    private static final long STATEMENT_MILLIS = 600_000;

    /** Table ids reserved for each skipped version: more than one statement assigns. */
    private static final int TABLE_IDS_OF_A_VERSION = 1_000;

    private static final int GROUP_IDS_OF_A_VERSION = 2;

    /**
     * The maximal number of versions that may be skipped. An object with a higher version number
     * does not belong to this catalog, and must not use up its ids.
     */
    static final long MAX_PASSED_OVER = 1_000_000;

    private final Catalog base;
    private final Lsn now;
    private final long epoch;
    private final long retentionMillis;
    private final SortedSet<String> schemas;
    private final SortedMap<Integer, TableGroup> tableGroups = new TreeMap<>();
    private final SortedMap<TableId, TableEntry> tables = new TreeMap<>();
    private final ViewEdits views;
    private long version;
    private long nextTableId;
    private int nextTableGroupId;
    private final List<GivenUpIds> givenUp;
    private final List<CompletedStatement> statements;

    /**
     * @param now the LSN at which the edit takes effect
     * @param epoch of the engine that makes the edit
     * @param retentionMillis the retention of tables without an option of their own
     */
    CatalogEdit(Catalog base, Lsn now, long epoch, long retentionMillis) {
        this.base = requireNonNull(base, "base is null");
        this.now = requireNonNull(now, "now is null");
        this.epoch = epoch;
        this.retentionMillis = retentionMillis;
        CatalogSnapshot snapshot = base.toSnapshot();
        this.schemas = new TreeSet<>(snapshot.schemas());
        snapshot.tableGroups().forEach(group -> tableGroups.put(group.id(), group));
        snapshot.tables().forEach(entry -> tables.put(entry.schema().id(), entry));
        this.views = new ViewEdits(base, snapshot.views());
        this.version = base.version() + 1;
        this.nextTableId = snapshot.nextTableId();
        this.nextTableGroupId = snapshot.nextTableGroupId();
        this.givenUp = new ArrayList<>(snapshot.givenUp());
        this.statements = new ArrayList<>(snapshot.statements());
    }

    /**
     * Skips all versions after the base up to the last given-up one, so that they are not created
     * again. Ids of tables and groups, and numbers of schema versions, that the skipped versions
     * may have assigned are not reused. Indexes that they may have dropped, so that files were
     * written without them, are built again. Times to live, which they may have changed, are in
     * doubt.
     */
    void passOver(Collection<Long> versions) {
        long last = base.version() + MAX_PASSED_OVER;
        long lost =
                versions.stream().mapToLong(Long::longValue).filter(v -> v <= last).max().orElse(0);
        if (lost < version) {
            return;
        }
        int passed = Math.toIntExact(lost + 1 - version);
        version = lost + 1;
        GivenUpIds ids =
                new GivenUpIds(
                        nextTableId,
                        Math.addExact(nextTableId, (long) passed * TABLE_IDS_OF_A_VERSION),
                        nextTableGroupId,
                        Math.addExact(nextTableGroupId, passed * GROUP_IDS_OF_A_VERSION));
        givenUp.add(ids);
        nextTableId = ids.nextTableId();
        nextTableGroupId = ids.nextTableGroupId();
        for (TableEntry entry : tables.values()) {
            if (entry.state().isStaged()) {
                givenUp.add(GivenUpIds.of(entry.schema().id()));
            }
        }
        Lsn known = lastChangeLsn();
        tables.replaceAll((tableId, entry) -> passOver(entry, passed, known));
    }

    /** Skips all ids up to the given ones, inclusive, which missing versions assigned. */
    void leaveOut(long tableId, int tableGroupId) {
        GivenUpIds ids =
                new GivenUpIds(
                        nextTableId,
                        Math.max(nextTableId, Math.addExact(tableId, 1)),
                        nextTableGroupId,
                        Math.max(nextTableGroupId, Math.addExact(tableGroupId, 1)));
        givenUp.add(ids);
        nextTableId = ids.nextTableId();
        nextTableGroupId = ids.nextTableGroupId();
    }

    /** The latest LSN at which a table changed in this version of the catalog. */
    private Lsn lastChangeLsn() {
        Lsn last = Lsn.MIN;
        for (TableEntry entry : tables.values()) {
            Lsn changed = entry.history().lastChangeLsn().orElse(Lsn.MIN);
            for (TimeToLiveStep step : entry.schema().options().timeToLiveSteps()) {
                changed = later(changed, step.since());
            }
            last = later(last, changed);
        }
        return last;
    }

    private static Lsn later(Lsn one, Lsn other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    private TableEntry passOver(TableEntry entry, int passed, Lsn known) {
        if (entry.state() == TableState.REPLACED) {
            return entry; // no statement changes a replaced table
        }
        TableSchema old = entry.schema();
        List<IndexSchema> indexes = new ArrayList<>();
        int indexId = firstIndexId();
        for (IndexSchema index : old.options().indexes()) {
            indexes.add(
                    new IndexSchema(indexId, index.name(), index.columns(), index.unique(), false));
            indexId++;
        }
        TableSchema passedOver =
                old.withColumns(Math.addExact(old.schemaVersion(), passed + 1), old.columns());
        return new TableEntry(
                passedOver.withOptions(
                        old.options().withIndexes(indexes).doubtTimeToLive(now, known)),
                entry.state(),
                entry.history().passedOver(old, now));
    }

    /**
     * The first index id of this version, which reserves as many ids as a table may have indexes.
     */
    private int firstIndexId() {
        return Math.toIntExact(version * TableOptions.MAX_INDEXES);
    }

    long nextTableId() {
        return nextTableId;
    }

    Catalog build() {
        return Catalog.of(
                version,
                new CatalogSnapshot(
                        List.copyOf(schemas),
                        List.copyOf(tableGroups.values()),
                        List.copyOf(tables.values()),
                        views.all(),
                        nextTableId,
                        nextTableGroupId,
                        epoch == 0 ? OptionalLong.empty() : OptionalLong.of(epoch),
                        givenUp,
                        statements));
    }

    /**
     * Remembers the statement in the next version, so that it is recognized when it is sent again.
     *
     * @param tableId the table that it made or changed
     */
    void complete(UUID id, Optional<TableId> tableId) {
        statements.add(new CompletedStatement(id, now.millis(), tableId));
        while (statements.size() > MAX_STATEMENTS
                || statements.size() > MIN_STATEMENTS
                        && statements.getFirst().millis() < now.millis() - STATEMENT_MILLIS) {
            statements.removeFirst();
        }
    }

    void createSchema(String name) {
        checkName("schema", name);
        if (!schemas.add(name)) {
            throw new SteleException(
                    ErrorCode.SCHEMA_ALREADY_EXISTS,
                    "Expected a new schema, found '%s' existing".formatted(name));
        }
    }

    void dropSchema(String name, boolean cascade) {
        base.requireSchema(name);
        if (!cascade) {
            requireEmpty(name);
        }
        List<TableId> dropped =
                tables.values().stream()
                        .map(TableEntry::schema)
                        .filter(table -> table.schemaName().equals(name))
                        .map(TableSchema::id)
                        .toList();
        // Also predecessors in other schemas, to which nothing would refer any more
        dropped.forEach(tableId -> predecessors(tableId).forEach(tables::remove));
        dropped.forEach(tables::remove);
        views.dropSchema(name);
        schemas.remove(name);
    }

    private void requireEmpty(String schemaName) {
        List<String> names = new ArrayList<>();
        for (TableEntry entry : tables.values()) {
            if (entry.schema().schemaName().equals(schemaName)
                    && entry.state() != TableState.STORAGE
                    && entry.state() != TableState.REPLACED) {
                names.add(
                        "'%s'%s"
                                .formatted(
                                        entry.schema().tableName(),
                                        entry.state().isStaged() ? " which is being created" : ""));
            }
        }
        views.inSchema(schemaName).forEach(view -> names.add("view '" + view.viewName() + "'"));
        if (!names.isEmpty()) {
            throw new SteleException(
                    ErrorCode.SCHEMA_NOT_EMPTY,
                    "Expected schema '%s' to be empty, found %d tables and views, among them %s"
                            .formatted(schemaName, names.size(), names.getFirst()));
        }
    }

    /** Renames a schema; its tables and views stay the same objects. */
    void renameSchema(String from, String to) {
        base.requireSchema(from);
        createSchema(to);
        schemas.remove(from);
        tables.replaceAll(
                (tableId, entry) ->
                        entry.schema().schemaName().equals(from)
                                ? new TableEntry(
                                        entry.schema().withName(to, entry.schema().tableName()),
                                        entry.state(),
                                        entry.history(),
                                        entry.successor())
                                : entry);
        views.renameSchema(from, to);
    }

    /**
     * Creates a table. Its name must be free, or may be that of a public table if the state is
     * REPLACEMENT.
     */
    TableSchema createTable(TableSchema definition, String tableGroupName, TableState state) {
        base.requireSchema(definition.schemaName());
        checkName("table", definition.tableName());
        if (state == TableState.REPLACEMENT) {
            requireNoView(definition.schemaName(), definition.tableName());
            base.findTable(definition.schemaName(), definition.tableName())
                    .ifPresent(this::requireRoomForReplaced);
        } else {
            requireNoRelation(definition.schemaName(), definition.tableName());
        }
        return addTable(definition, tableGroupName, state);
    }

    /** Creates a table in the place of a public one of its name, if there is one. */
    TableSchema createOrReplaceTable(TableSchema definition, String tableGroupName) {
        TableSchema created = createTable(definition, tableGroupName, TableState.REPLACEMENT);
        return publish(created.id(), now);
    }

    private TableSchema addTable(TableSchema definition, String tableGroupName, TableState state) {
        definition.columns().forEach(CatalogEdit::checkColumn);
        checkComment("table '" + definition.tableName() + "'", definition.comment());
        if (definition.orientation().hasRows() && !definition.hasPrimaryKey()) {
            throw invalid(
                    "a primary_key for orientation '" + definition.orientation().text() + "'",
                    "none");
        }
        if (definition.orientation() == Orientation.ROW && !definition.clusteringKey().isEmpty()) {
            throw invalid(
                    "no clustering_key for orientation 'row', whose rows are sorted by primary_key",
                    "one");
        }
        requireRoomForTable();
        TableGroup group = findOrCreateGroup(tableGroupName, definition.shardCount());
        TableSchema copy = copy(definition, new TableId(nextTableId), 1, group);
        TableSchema schema = withBuiltIndexes(copy.withOptions(copy.options().beginTimeToLive()));
        nextTableId++;
        tables.put(schema.id(), new TableEntry(schema, state, begun(schema)));
        return schema;
    }

    private void requireRoomForTable() {
        if (tables.size() >= MAX_TABLES) {
            throw invalid("at most " + MAX_TABLES + " tables", tables.size() + 1);
        }
    }

    /** Not called at the publication of a staged table, whose rows may be committed by then. */
    private void requireRoomForReplaced(TableSchema table) {
        int replaced = predecessors(table.id()).size();
        if (replaced >= MAX_REPLACED) {
            throw invalid(
                    "at most %d earlier contents of table '%s' that are kept for readers of the past (they go when the retention that each had is over, or with DROP TABLE)"
                            .formatted(MAX_REPLACED, table.qualifiedName()),
                    replaced + 1);
        }
    }

    /**
     * Makes a staged table public; STALE_TABLE if it is gone.
     *
     * @param committed the LSN of its rows; readers before it see the table that has the name now
     */
    TableSchema publishTable(TableId tableId, Lsn committed) {
        base.entry(tableId);
        return publish(tableId, committed);
    }

    private TableSchema publish(TableId tableId, Lsn begun) {
        TableEntry entry = requireNonNull(tables.get(tableId), "entry is null");
        TableSchema schema = entry.schema();
        if (entry.state() == TableState.REPLACEMENT) {
            requireNoView(schema.schemaName(), schema.tableName());
            base.findTable(schema.schemaName(), schema.tableName())
                    .ifPresent(replaced -> keepReplaced(replaced.id(), tableId));
        } else {
            requireNoRelation(schema.schemaName(), schema.tableName());
        }
        tables.put(
                tableId, new TableEntry(schema, TableState.PUBLIC, entry.history().created(begun)));
        givenUp.removeIf(GivenUpIds.of(tableId)::equals);
        return schema;
    }

    void dropTable(TableId tableId) {
        requireNoStorage(tableId);
        tables.remove(tableId);
        predecessors(tableId).forEach(tables::remove);
    }

    /**
     * Retains a replaced table for readers of the past. Its predecessors are reached through it, so
     * it is retained at least as long as they are.
     */
    private void keepReplaced(TableId tableId, TableId successor) {
        TableEntry entry = base.entry(tableId).replacedBy(successor, now);
        OptionalLong longest =
                base.findPredecessor(tableId).stream()
                        .mapToLong(this::leftMillis)
                        .filter(before -> before > retentionMillis(entry))
                        .findFirst();
        tables.put(tableId, longest.isEmpty() ? entry : entry.retained(longest.getAsLong()));
    }

    /**
     * The remaining retention of a replaced table, in milliseconds. With its full retention
     * instead, each successor would prolong it for ever.
     */
    private long leftMillis(TableEntry replaced) {
        long sinceMillis =
                replaced.successor().map(next -> now.millis() - next.lsn().millis()).orElse(0L);
        return retentionMillis(replaced) - sinceMillis;
    }

    private long retentionMillis(TableEntry entry) {
        return entry.schema().options().retentionMillis().orElse(retentionMillis);
    }

    /** The predecessors of a table, newest first. */
    private List<TableId> predecessors(TableId tableId) {
        List<TableId> found = new ArrayList<>();
        Optional<TableEntry> before = base.findPredecessor(tableId);
        while (before.isPresent()) {
            found.add(before.get().schema().id());
            before = base.findPredecessor(before.get().schema().id());
        }
        return found;
    }

    /** Drops tables that were replaced; returns their number. */
    int dropReplacedTables(Collection<TableId> tableIds) {
        int before = tables.size();
        tables.values()
                .removeIf(
                        entry ->
                                entry.state() == TableState.REPLACED
                                        && tableIds.contains(entry.schema().id()));
        return before - tables.size();
    }

    /**
     * Creates a view, and for a materialized view the table for its rows.
     *
     * @param storage the table, without a primary key; its name is chosen here
     */
    ViewSchema createView(
            ViewSchema definition,
            Optional<TableSchema> storage,
            String tableGroupName,
            boolean replace) {
        base.requireSchema(definition.schemaName());
        checkName("view", definition.viewName());
        requireNoTable(definition.schemaName(), definition.viewName());
        ViewSchema view =
                new ViewSchema(
                        definition.schemaName(),
                        definition.viewName(),
                        base.version() + 1,
                        definition.definition(),
                        storage.map(table -> addStorage(definition, table, tableGroupName)),
                        Optional.empty());
        views.create(view, replace).flatMap(ViewSchema::storageTable).ifPresent(tables::remove);
        return view;
    }

    private TableId addStorage(ViewSchema view, TableSchema table, String tableGroupName) {
        if (table.hasPrimaryKey()) {
            throw invalid(
                    "no primary_key of materialized view '" + view.qualifiedName() + "'", "one");
        }
        String name = TableEntry.STORAGE_PREFIX + nextTableId;
        return addTable(table.withName(view.schemaName(), name), tableGroupName, TableState.STORAGE)
                .id();
    }

    void dropView(String schemaName, String viewName, boolean materialized) {
        views.drop(schemaName, viewName, materialized).storageTable().ifPresent(tables::remove);
    }

    ViewSchema renameView(
            String schemaName,
            String viewName,
            boolean materialized,
            String newSchemaName,
            String newViewName) {
        ViewSchema old = base.view(schemaName, viewName, materialized);
        base.requireSchema(newSchemaName);
        checkName("view", newViewName);
        requireNoRelation(newSchemaName, newViewName);
        if (old.storageTable().isPresent()) {
            TableSchema table = base.table(old.storageTable().get());
            replace(table.withName(newSchemaName, table.tableName()));
        }
        return views.replace(old, old.withName(newSchemaName, newViewName));
    }

    ViewSchema setView(
            String schemaName,
            String viewName,
            boolean materialized,
            long revision,
            String definition) {
        ViewSchema old = views.require(schemaName, viewName, materialized, revision);
        return views.replace(old, old.withDefinition(base.version() + 1, definition));
    }

    ViewSchema setRefresh(TableId storageTable, String refresh) {
        ViewSchema old = views.require(storageTable);
        return views.replace(old, old.withRefresh(refresh));
    }

    /**
     * Empties a table: an empty table with a new id takes its place. The table with the old id is
     * retained for readers of the past, and dropped when no reader can read it any more.
     */
    TableSchema truncateTable(TableId tableId) {
        requireNoStorage(tableId);
        TableEntry entry = base.entry(tableId);
        TableSchema old = entry.schema();
        if (entry.state() == TableState.PUBLIC) {
            requireRoomForTable();
            requireRoomForReplaced(old);
        }
        TableSchema schema =
                withBuiltIndexes(
                        copy(
                                old,
                                new TableId(nextTableId),
                                old.schemaVersion(),
                                base.tableGroup(old.tableGroup())));
        nextTableId++;
        if (entry.state() == TableState.PUBLIC) {
            keepReplaced(tableId, schema.id());
        } else {
            tables.remove(tableId);
        }
        tables.put(schema.id(), new TableEntry(schema, entry.state(), begun(schema)));
        return schema;
    }

    TableSchema renameTable(TableId tableId, String schemaName, String tableName) {
        TableSchema old = requirePublic(tableId);
        base.requireSchema(schemaName);
        checkName("table", tableName);
        requireNoRelation(schemaName, tableName);
        return replace(old.withName(schemaName, tableName));
    }

    TableSchema setTableComment(TableId tableId, Optional<String> comment) {
        TableSchema old = base.table(tableId);
        checkComment("table '" + old.tableName() + "'", comment);
        return replace(old.withComment(comment));
    }

    TableSchema setColumnComment(TableId tableId, int columnId, Optional<String> comment) {
        String name = base.table(tableId).column(columnId).name();
        checkComment("column '" + name + "'", comment);
        return change(tableId, columnId, column -> column.withComment(comment));
    }

    TableSchema setColumnDefault(TableId tableId, int columnId, Optional<String> defaultValue) {
        requireNoStorage(tableId);
        return change(tableId, columnId, column -> column.withDefault(defaultValue));
    }

    /**
     * Changes a property of a column that does not affect rows, so that the schema version stays.
     */
    private TableSchema change(TableId tableId, int columnId, UnaryOperator<ColumnSchema> change) {
        TableSchema old = base.table(tableId);
        int index = old.indexOf(columnId);
        List<ColumnSchema> columns = new ArrayList<>(old.columns());
        columns.set(index, change.apply(columns.get(index)));
        return replace(old.withColumns(old.schemaVersion(), columns));
    }

    /** Changes a column, and stores the previous columns for rows written before. */
    TableSchema alterTable(TableId tableId, int schemaVersion, ColumnChange change) {
        requireNoStorage(tableId);
        TableEntry entry = base.entry(tableId);
        TableSchema old = entry.schema();
        if (old.schemaVersion() != schemaVersion) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected a change of schema version %d of table %s, found version %d"
                            .formatted(old.schemaVersion(), old.qualifiedName(), schemaVersion));
        }
        boolean isField =
                change.path().size() > (change.kind() == ColumnChange.Kind.RENAME ? 1 : 0);
        if (change.name().isPresent() && !isField) {
            checkName("column", change.name().get());
            checkComment("column '" + change.name().get() + "'", change.comment());
        }
        change.initialValue().ifPresent(InitialRow::validate);
        SchemaEditor editor = new SchemaEditor(old, entry.history().nextColumnId());
        TableSchema changed = editor.apply(change);
        SchemaHistory history = entry.history().with(old, editor.nextColumnId(), now);
        tables.put(tableId, new TableEntry(changed, entry.state(), history));
        return changed;
    }

    TableSchema setOptions(TableId tableId, Collection<TableOption> changed, TableOptions values) {
        TableSchema old = base.table(tableId);
        TableOptions identified =
                changed.contains(TableOption.INDEXES)
                        ? values.withIndexes(identified(old.options().indexes(), values.indexes()))
                        : values;
        TableOptions options =
                TableOption.change(old.options(), changed, identified)
                        .changeTimeToLive(
                                old.options(), now, changed.contains(TableOption.TIME_TO_LIVE));
        return replace(old.withOptions(options));
    }

    /**
     * The wanted indexes with ids: an existing index keeps its id and state; a new index gets an id
     * derived from the catalog version, and is still to be built.
     */
    private List<IndexSchema> identified(List<IndexSchema> known, List<IndexSchema> wanted) {
        int nextId = firstIndexId();
        List<IndexSchema> indexes = new ArrayList<>();
        for (IndexSchema index : wanted) {
            Optional<IndexSchema> same =
                    known.stream()
                            .filter(
                                    there ->
                                            there.name().equals(index.name())
                                                    && there.columns().equals(index.columns())
                                                    && there.unique() == index.unique())
                            .findFirst();
            indexes.add(
                    same.orElse(
                            new IndexSchema(
                                    nextId, index.name(), index.columns(), index.unique(), false)));
            nextId++;
        }
        return indexes;
    }

    TableSchema setIndexReady(TableId tableId, int indexId) {
        TableSchema old = base.table(tableId);
        requireIndex(old, indexId);
        List<IndexSchema> indexes =
                old.options().indexes().stream()
                        .map(index -> index.id() == indexId ? index.built() : index)
                        .toList();
        return replace(old.withOptions(old.options().withIndexes(indexes)));
    }

    TableSchema dropIndex(TableId tableId, int indexId) {
        TableSchema old = base.table(tableId);
        requireIndex(old, indexId);
        List<IndexSchema> indexes =
                old.options().indexes().stream().filter(index -> index.id() != indexId).toList();
        return replace(old.withOptions(old.options().withIndexes(indexes)));
    }

    private static void requireIndex(TableSchema table, int indexId) {
        if (table.options().indexes().stream().noneMatch(index -> index.id() == indexId)) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected an index of table %s, found id %d, which it has not"
                            .formatted(table.qualifiedName(), indexId));
        }
    }

    /** Drops every staged table; returns how many there were. */
    int dropStagedTables() {
        int before = tables.size();
        tables.values().removeIf(entry -> entry.state().isStaged());
        // If these statements are sent again, they create their tables anew
        statements.removeIf(
                statement -> statement.tableId().filter(id -> !tables.containsKey(id)).isPresent());
        return before - tables.size();
    }

    private TableGroup findOrCreateGroup(String requestedName, int shardCount) {
        String name = requestedName.isEmpty() ? "default_" + shardCount : requestedName;
        checkName("table group", name);
        Optional<TableGroup> existing = base.findTableGroup(name);
        if (existing.isPresent()) {
            if (existing.get().shardCount() != shardCount) {
                throw invalid(
                        "shard_count %d of the existing table group '%s'"
                                .formatted(existing.get().shardCount(), name),
                        shardCount);
            }
            return existing.get();
        }
        TableGroup group = new TableGroup(nextTableGroupId, name, shardCount);
        nextTableGroupId++;
        tableGroups.put(group.id(), group);
        return group;
    }

    private TableSchema requirePublic(TableId tableId) {
        TableEntry entry = base.entry(tableId);
        if (entry.state() != TableState.PUBLIC) {
            throw invalid(
                    "a public table",
                    "'" + entry.schema().qualifiedName() + "' which is being created");
        }
        return entry.schema();
    }

    private void requireNoStorage(TableId tableId) {
        TableEntry entry = base.entry(tableId);
        if (entry.state() == TableState.STORAGE) {
            throw invalid(
                    "a table of its own",
                    "'%s', which has the rows of a materialized view"
                            .formatted(entry.schema().qualifiedName()));
        }
    }

    private void requireNoRelation(String schemaName, String tableName) {
        requireNoTable(schemaName, tableName);
        requireNoView(schemaName, tableName);
    }

    private void requireNoView(String schemaName, String tableName) {
        base.findView(schemaName, tableName)
                .ifPresent(
                        view -> {
                            throw new SteleException(
                                    ErrorCode.TABLE_ALREADY_EXISTS,
                                    "Expected a new name, found view '%s' existing"
                                            .formatted(view.qualifiedName()));
                        });
    }

    private void requireNoTable(String schemaName, String tableName) {
        if (base.findTable(schemaName, tableName).isPresent()) {
            throw new SteleException(
                    ErrorCode.TABLE_ALREADY_EXISTS,
                    "Expected a new table, found '%s.%s' existing"
                            .formatted(schemaName, tableName));
        }
    }

    private TableSchema replace(TableSchema schema) {
        TableEntry old = base.entry(schema.id());
        tables.put(schema.id(), new TableEntry(schema, old.state(), old.history()));
        return schema;
    }

    private SchemaHistory begun(TableSchema schema) {
        return SchemaHistory.of(schema).created(now);
    }

    private static TableSchema copy(
            TableSchema schema, TableId id, int schemaVersion, TableGroup group) {
        return schema.withIdentity(id, schemaVersion, group.id(), group.shardCount());
    }

    /** The table with all indexes marked as built, since it has no rows. */
    private static TableSchema withBuiltIndexes(TableSchema empty) {
        List<IndexSchema> built =
                empty.options().indexes().stream().map(IndexSchema::built).toList();
        return empty.withOptions(empty.options().withIndexes(built));
    }

    private static void checkColumn(ColumnSchema column) {
        checkName("column", column.name());
        checkComment("column '" + column.name() + "'", column.comment());
    }

    /** Throws for invalid names. Trino sends names in lower case and finds no others. */
    private static void checkName(String what, String name) {
        if (name.isEmpty() || name.length() > ColumnSchema.MAX_NAME_LENGTH) {
            throw invalid(
                    "a %s name of 1 to %d characters".formatted(what, ColumnSchema.MAX_NAME_LENGTH),
                    "'" + name + "'");
        }
        if (!name.equals(name.toLowerCase(Locale.ENGLISH))) {
            throw invalid("a %s name in lower case".formatted(what), "'" + name + "'");
        }
        boolean isRelation = what.equals("table") || what.equals("view");
        if (isRelation && name.indexOf('$') >= 0) {
            throw invalid(
                    "a table or view name without '$', which names of metadata tables have",
                    "'" + name + "'");
        }
        boolean mayHaveSlash = what.equals("column"); // other names are in Flight paths
        if (name.chars()
                .anyMatch(
                        character ->
                                Character.isISOControl(character)
                                        || (character == '/' && !mayHaveSlash))) {
            throw invalid(
                    "a %s name without %scontrol characters"
                            .formatted(what, mayHaveSlash ? "" : "'/' and "),
                    "'" + name + "'");
        }
    }

    private static void checkComment(String where, Optional<String> comment) {
        if (comment.isPresent() && comment.get().length() > MAX_COMMENT_LENGTH) {
            throw invalid(
                    "a comment of at most " + MAX_COMMENT_LENGTH + " characters on " + where,
                    comment.get().length() + " characters");
        }
    }

    private static SteleException invalid(String expected, Object found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT, "Expected " + expected + ", found " + found);
    }
}
