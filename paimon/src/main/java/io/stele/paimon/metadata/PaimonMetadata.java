package io.stele.paimon.metadata;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.paimon.config.PaimonSessionProperties;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.image.LatestSnapshots;
import io.stele.paimon.image.PinnedSnapshots;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.LimitApplicationResult;
import io.trino.spi.connector.ProjectionApplicationResult;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.security.AccessDeniedException;
import io.trino.spi.statistics.TableStatistics;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.paimon.Snapshot;
import org.apache.paimon.privilege.NoPrivilegeException;
import org.apache.paimon.privilege.PrivilegedFileStoreTable;
import org.apache.paimon.table.AppendOnlyFileStoreTable;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PrimaryKeyFileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.types.DataField;
import org.jspecify.annotations.Nullable;

/**
 * The connector metadata of one Trino transaction for queries: names, columns, statistics and
 * pushdown of tables, each pinned to one snapshot. All scans of a table in a transaction see the
 * snapshot that the first scan pinned. Confined to the transaction's threads, which Trino orders.
 */
class PaimonMetadata implements ConnectorMetadata {
    private static final Logger log = Logger.get(PaimonMetadata.class);

    private final TableNames names;
    private final TableLeases leases;
    private final LakeTables tables;
    private final LatestSnapshots snapshots;
    private final TableStatisticsReader statistics;

    /**
     * The tables as this transaction sees them; a table that a query names with a version is not
     * here.
     */
    private final Map<SchemaTableName, PaimonTableHandle> pinned = new HashMap<>();

    PaimonMetadata(
            TableNames names,
            TableLeases leases,
            LakeTables tables,
            LatestSnapshots snapshots,
            TableStatisticsReader statistics) {
        this.names = requireNonNull(names, "names is null");
        this.leases = requireNonNull(leases, "leases is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
    }

    @Override
    public List<String> listSchemaNames(ConnectorSession session) {
        return names.databases();
    }

    @Override
    public boolean schemaExists(ConnectorSession session, String schemaName) {
        return names.findDatabase(schemaName).isPresent();
    }

    @Override
    public List<SchemaTableName> listTables(ConnectorSession session, Optional<String> schemaName) {
        return schemaName.map(List::of).orElseGet(names::databases).stream()
                .flatMap(
                        schema ->
                                names.tables(schema).stream()
                                        .map(table -> new SchemaTableName(schema, table)))
                .toList();
    }

    @Override
    public @Nullable PaimonTableHandle getTableHandle(
            ConnectorSession session,
            SchemaTableName tableName,
            Optional<ConnectorTableVersion> startVersion,
            Optional<ConnectorTableVersion> endVersion) {
        if (startVersion.isPresent()) {
            throw new TrinoException(
                    NOT_SUPPORTED, "Expected a table at one version, found a range of versions");
        }
        if (SystemTables.isSystemTable(tableName)) {
            return null;
        }
        if (endVersion.isEmpty() && pinned.containsKey(tableName)) {
            return pinned.get(tableName);
        }
        Optional<Table> found =
                leases.find(
                        tableName,
                        PaimonSessionProperties.snapshotMaxStaleness(session).toJavaTime());
        if (found.isEmpty()) {
            return null;
        }
        FileStoreTable table = fileStoreTable(tableName, found.get());
        if (endVersion.isPresent()) {
            return handle(
                    tableName, table, TableVersions.resolve(session, table, endVersion.get()));
        }
        Optional<Snapshot> latest =
                latest(table, PaimonSessionProperties.snapshotMaxStaleness(session).toJavaTime());
        if (latest.isPresent() && latest.get().schemaId() > table.schema().id()) {
            // No check has seen the snapshot's schema yet, whose options say how rows are read
            table =
                    leases.find(tableName, Duration.ZERO)
                            .map(newer -> fileStoreTable(tableName, newer))
                            .orElseThrow(() -> new TableNotFoundException(tableName));
        }
        PaimonTableHandle handle = handle(tableName, table, latest, Optional.empty());
        pinned.put(tableName, handle);
        return handle;
    }

    private Optional<Snapshot> latest(FileStoreTable table, Duration maxStaleness) {
        try {
            return snapshots.latest(table, maxStaleness);
        } catch (IOException e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot read the latest snapshot of %s: %s"
                            .formatted(table.location(), e.getMessage()),
                    e);
        }
    }

    /** The table of a handle, with the handle's schema. */
    final FileStoreTable table(ConnectorTableHandle table) {
        return tables.table((PaimonTableHandle) table);
    }

    /**
     * Unpins a table that a statement of this transaction has changed, so that later statements see
     * the change.
     */
    final void unpin(SchemaTableName name) {
        pinned.remove(name);
    }

    static FileStoreTable fileStoreTable(SchemaTableName name, Table table) {
        Table found = table;
        if (table instanceof PrivilegedFileStoreTable guarded) {
            checkMayRead(name, guarded);
            found = guarded.wrapped();
        }
        if (!(found instanceof AppendOnlyFileStoreTable)
                && !(found instanceof PrimaryKeyFileStoreTable)) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a table with or without a primary key, found %s to be a %s, which this connector does not read"
                            .formatted(name, found.getClass().getSimpleName()));
        }
        FileStoreTable files = (FileStoreTable) found;
        if (files.coreOptions().queryAuthEnabled()) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a table without filters of rows by user, found query-auth.enabled of %s, which this connector does not apply"
                            .formatted(name));
        }
        return files;
    }

    private static void checkMayRead(SchemaTableName name, PrivilegedFileStoreTable table) {
        try {
            table.newSnapshotReader();
        } catch (NoPrivilegeException e) {
            throw new AccessDeniedException(
                    "Cannot select from %s: %s".formatted(name, e.getMessage()));
        }
    }

    private PaimonTableHandle handle(
            SchemaTableName name, FileStoreTable table, TableVersions.Version version) {
        return handle(
                name,
                table.copy(table.schemaManager().schema(version.snapshot().schemaId())),
                Optional.of(version.snapshot()),
                version.tag());
    }

    private PaimonTableHandle handle(
            SchemaTableName name,
            FileStoreTable table,
            Optional<Snapshot> snapshot,
            Optional<String> tag) {
        String branch = table.coreOptions().branch();
        tables.offer(table, branch);
        return new PaimonTableHandle(
                name,
                table.location().toString(),
                branch,
                table.schema().id(),
                table.schema().timeMillis(),
                snapshot.map(PinnedSnapshots::pin),
                tag);
    }

    @Override
    public SchemaTableName getTableName(ConnectorSession session, ConnectorTableHandle table) {
        return ((PaimonTableHandle) table).name();
    }

    @Override
    public ConnectorTableMetadata getTableMetadata(
            ConnectorSession session, ConnectorTableHandle table) {
        PaimonTableHandle handle = (PaimonTableHandle) table;
        return tableMetadata(handle.name(), tables.table(handle));
    }

    private static ConnectorTableMetadata tableMetadata(
            SchemaTableName name, FileStoreTable table) {
        return new ConnectorTableMetadata(
                name, columns(name, table), TableProperties.of(table), table.comment());
    }

    private static List<ColumnMetadata> columns(SchemaTableName name, Table table) {
        checkNames(name, table);
        return supported(table).map(PaimonMetadata::column).toList();
    }

    /** The columns whose types Trino has; other columns are left out. */
    private static Stream<DataField> supported(Table table) {
        return table.rowType().getFields().stream()
                .filter(field -> PaimonTypes.find(field.type()).isPresent());
    }

    private static void checkNames(SchemaTableName name, Table table) {
        Map<String, Long> counts =
                table.rowType().getFieldNames().stream()
                        .collect(
                                Collectors.groupingBy(
                                        field -> field.toLowerCase(Locale.ROOT),
                                        Collectors.counting()));
        counts.forEach(
                (field, count) -> {
                    if (count > 1) {
                        throw new TrinoException(
                                NOT_SUPPORTED,
                                "Expected columns that differ by more than case, found %s columns %s in %s"
                                        .formatted(count, field, name));
                    }
                });
    }

    static ColumnMetadata column(DataField field) {
        return ColumnMetadata.builder()
                .setName(field.name().toLowerCase(Locale.ROOT))
                .setType(PaimonTypes.toTrino(field.type()))
                .setNullable(field.type().isNullable())
                .setComment(Optional.ofNullable(field.description()))
                .build();
    }

    @Override
    public Map<String, ColumnHandle> getColumnHandles(
            ConnectorSession session, ConnectorTableHandle table) {
        Map<String, ColumnHandle> handles = new LinkedHashMap<>();
        for (DataField field : supported(tables.table((PaimonTableHandle) table)).toList()) {
            String name = field.name().toLowerCase(Locale.ROOT);
            handles.put(
                    name,
                    new PaimonColumnHandle(
                            field.id(), field.name(), PaimonTypes.toTrino(field.type())));
        }
        return handles;
    }

    @Override
    public ColumnMetadata getColumnMetadata(
            ConnectorSession session, ConnectorTableHandle table, ColumnHandle column) {
        PaimonColumnHandle handle = (PaimonColumnHandle) column;
        return tables.table((PaimonTableHandle) table).rowType().getFields().stream()
                .filter(field -> field.id() == handle.id())
                .map(
                        field ->
                                handle.isWhole()
                                        ? column(field)
                                        : new ColumnMetadata(handle.name(), handle.type()))
                .findFirst()
                .orElseThrow();
    }

    /** Tables that cannot be read, or are dropped meanwhile, are left out. */
    @Override
    public Iterator<RelationColumnsMetadata> streamRelationColumns(
            ConnectorSession session,
            Optional<String> schemaName,
            UnaryOperator<Set<SchemaTableName>> relationFilter) {
        Set<SchemaTableName> wanted =
                relationFilter.apply(Set.copyOf(listTables(session, schemaName)));
        return wanted.stream().flatMap(name -> relationColumns(name).stream()).iterator();
    }

    private Optional<RelationColumnsMetadata> relationColumns(SchemaTableName name) {
        try {
            return names.find(name)
                    .map(table -> RelationColumnsMetadata.forTable(name, columns(name, table)));
        } catch (TrinoException e) {
            log.warn("Left out of listings: %s: %s", name, e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public Optional<SystemTable> getSystemTable(
            ConnectorSession session, SchemaTableName tableName) {
        return SystemTables.isSystemTable(tableName)
                ? names.find(tableName).map(table -> new PaimonSystemTable(tableName, table))
                : Optional.empty();
    }

    @Override
    public Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(
            ConnectorSession session, ConnectorTableHandle table, Constraint constraint) {
        PaimonTableHandle handle = (PaimonTableHandle) table;
        TupleDomain<PaimonColumnHandle> summary =
                constraint.getSummary().transformKeys(PaimonColumnHandle.class::cast);
        Set<Integer> partitionIds = partitionIds(handle);
        TupleDomain<PaimonColumnHandle> ofPartitions =
                summary.filter((column, _) -> isOf(partitionIds, column));
        TupleDomain<PaimonColumnHandle> others =
                summary.filter((column, _) -> !isOf(partitionIds, column));
        TupleDomain<PaimonColumnHandle> newConstraint =
                handle.constraint().intersect(PaimonColumnHandle.ofWholeColumns(others));
        TupleDomain<PaimonColumnHandle> newEnforced = handle.enforced().intersect(ofPartitions);
        if (newConstraint.equals(handle.constraint()) && newEnforced.equals(handle.enforced())) {
            return Optional.empty();
        }
        return Optional.of(
                new ConstraintApplicationResult<>(
                        handle.with(newConstraint, newEnforced),
                        others.transformKeys(ColumnHandle.class::cast),
                        constraint.getExpression(),
                        false));
    }

    private static boolean isOf(Set<Integer> ids, PaimonColumnHandle column) {
        return column.isWhole() && ids.contains(column.id());
    }

    @Override
    public Optional<ProjectionApplicationResult<ConnectorTableHandle>> applyProjection(
            ConnectorSession session,
            ConnectorTableHandle table,
            List<ConnectorExpression> projections,
            Map<String, ColumnHandle> assignments) {
        if (!PaimonSessionProperties.isProjectionPushdownEnabled(session)) {
            return Optional.empty();
        }
        return FieldPushdown.apply(
                (PaimonTableHandle) table,
                tables.table((PaimonTableHandle) table).rowType(),
                projections,
                assignments);
    }

    /** The ids of the partition columns, whose values the planner compares as Trino does. */
    private Set<Integer> partitionIds(PaimonTableHandle handle) {
        FileStoreTable table = tables.table(handle);
        Set<String> keys = Set.copyOf(table.partitionKeys());
        return table.rowType().getFields().stream()
                .filter(field -> keys.contains(field.name()))
                .map(DataField::id)
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(
            ConnectorSession session, ConnectorTableHandle table, long limit) {
        PaimonTableHandle handle = (PaimonTableHandle) table;
        if (handle.limit().isPresent() && handle.limit().getAsLong() <= limit) {
            return Optional.empty();
        }
        return Optional.of(new LimitApplicationResult<>(handle.withLimit(limit), false, false));
    }

    @Override
    public TableStatistics getTableStatistics(
            ConnectorSession session, ConnectorTableHandle tableHandle) {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        return statistics.read(handle, columnsById(session, handle));
    }

    private Map<Integer, PaimonColumnHandle> columnsById(
            ConnectorSession session, PaimonTableHandle handle) {
        return getColumnHandles(session, handle).values().stream()
                .map(PaimonColumnHandle.class::cast)
                .collect(toImmutableMap(PaimonColumnHandle::id, column -> column));
    }
}
