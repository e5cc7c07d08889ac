package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.TableState;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.access.AccessDeniedException;
import io.stele.sidecar.access.Privilege;
import io.stele.sidecar.postgresql.plan.FixedPlan.InsertPlan;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.run.Cancellation;
import io.stele.sidecar.postgresql.run.Client;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.session.PreparedStatement;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableNotExistOption;

/**
 * The execution of CommandStatementIngest, which adds Arrow batches to a table: all rows or none. A
 * table that it creates or replaces becomes visible with them. Thread-safe.
 */
final class SqlIngestion {
    private static final int SHARD_COUNT = 4; // as of CREATE TABLE in Trino

    private static final Set<Privilege> TO_CREATE = Set.of(Privilege.OWNERSHIP, Privilege.INSERT);
    private static final Set<Privilege> TO_APPEND = Set.of(Privilege.INSERT);

    private final Supplier<CatalogService> catalog;
    private final AccessControl access;
    private final PlanExecutor executor;
    private final SqlStatements statements;
    private final InstantSource clock;
    private final String catalogName;

    SqlIngestion(
            Supplier<CatalogService> catalog,
            AccessControl access,
            PlanExecutor executor,
            SqlStatements statements,
            InstantSource clock,
            String catalogName) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.access = requireNonNull(access, "access is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.statements = requireNonNull(statements, "statements is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.catalogName = requireNonNull(catalogName, "catalogName is null");
    }

    /**
     * Begins an ingestion.
     *
     * @param fields of the batches, which are columns of the table by name
     * @throws AccessDeniedException the caller may not insert, or not create the table
     * @throws PostgresException UNDEFINED_TABLE, OBJECT_NOT_IN_PREREQUISITE_STATE: the table is not
     *     there, or is, which the command does not admit; FEATURE_NOT_SUPPORTED
     */
    SqlPut begin(
            CommandStatementIngest command,
            List<ArrowField> fields,
            Optional<SqlTransaction> transaction,
            SqlCaller caller,
            Cancellation cancellation,
            Executor threads) {
        check(command, fields);
        String schema =
                command.hasSchema() && !command.getSchema().isEmpty()
                        ? command.getSchema()
                        : schemaOf(command.getTable(), caller);
        Optional<TableSchema> present =
                catalog.get().current().findTable(schema, command.getTable());
        TableDefinitionOptions options = command.getTableDefinitionOptions();
        Client client = new Client(caller.user(), caller.identity(), cancellation);
        boolean creates =
                present.isEmpty()
                        || options.getIfExists() == TableExistsOption.TABLE_EXISTS_OPTION_REPLACE;
        access.check(caller.user(), schema, command.getTable(), creates ? TO_CREATE : TO_APPEND);
        if (present.isEmpty()) {
            if (options.getIfNotExist() != TableNotExistOption.TABLE_NOT_EXIST_OPTION_CREATE) {
                throw new PostgresException(
                        SqlState.UNDEFINED_TABLE,
                        "Expected a table, found none of the name %s.%s"
                                .formatted(schema, command.getTable()));
            }
            requireNone(transaction, "an ingestion that creates a table");
            return new IngestPut(
                    created(
                            definition(schema, command.getTable(), fields),
                            TableState.STAGED,
                            fields,
                            client),
                    client,
                    threads);
        }
        return switch (options.getIfExists()) {
            case TABLE_EXISTS_OPTION_FAIL ->
                    throw new PostgresException(
                            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                            "Expected no table of the name %s, found one"
                                    .formatted(present.get().qualifiedName()));
            case TABLE_EXISTS_OPTION_REPLACE -> {
                requireNone(transaction, "an ingestion that replaces a table");
                yield new IngestPut(
                        created(
                                replacement(present.get(), fields),
                                TableState.REPLACEMENT,
                                fields,
                                client),
                        client,
                        threads);
            }
            default ->
                    new IngestPut(
                            into(present.get(), fields, transaction, caller, client),
                            client,
                            threads);
        };
    }

    private void check(CommandStatementIngest command, List<ArrowField> fields) {
        if (command.getTemporary()) {
            throw new PostgresException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "Expected a table that stays, found a temporary one");
        }
        if (command.hasCatalog()
                && !command.getCatalog().isEmpty()
                && !command.getCatalog().equals(catalogName)) {
            throw new PostgresException(
                    SqlState.INVALID_SCHEMA_NAME,
                    "Expected catalog '%s', found '%s'"
                            .formatted(catalogName, command.getCatalog()));
        }
        if (fields.isEmpty()) {
            throw new PostgresException(
                    SqlState.INVALID_PARAMETER_VALUE, "Expected columns to ingest, found none");
        }
    }

    /** The first schema of the caller's path that has the table; the first one if none has. */
    private String schemaOf(String table, SqlCaller caller) {
        return caller.searchPath().stream()
                .filter(schema -> catalog.get().current().findTable(schema, table).isPresent())
                .findFirst()
                .orElse(caller.searchPath().getFirst());
    }

    private static void requireNone(Optional<SqlTransaction> transaction, String what) {
        if (transaction.isPresent()) {
            throw new PostgresException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "Expected %s outside a transaction, found it in one".formatted(what));
        }
    }

    private static TableSchema definition(String schema, String table, List<ArrowField> fields) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (ArrowField field : fields) {
            columns.add(
                    new ColumnSchema(
                            columns.size() + 1,
                            field.name(),
                            field.type(),
                            true,
                            Optional.empty()));
        }
        return TableSchema.builder(schema, table).columns(columns).shardCount(SHARD_COUNT).build();
    }

    /** The table itself, with its key and properties, if it has the columns; else a new one. */
    private static TableSchema replacement(TableSchema table, List<ArrowField> fields) {
        Set<String> wanted =
                fields.stream()
                        .map(field -> field.name().toLowerCase(Locale.ENGLISH))
                        .collect(Collectors.toSet());
        Set<String> present =
                table.columns().stream()
                        .map(column -> column.name().toLowerCase(Locale.ENGLISH))
                        .collect(Collectors.toSet());
        return wanted.equals(present)
                ? table
                : definition(table.schemaName(), table.tableName(), fields);
    }

    private RowTarget created(
            TableSchema definition, TableState state, List<ArrowField> fields, Client client) {
        TableSchema created = catalog.get().createTable(definition, "", state);
        boolean isBegun = false;
        try {
            RowTarget target =
                    new RowTarget.Encoded(
                            executor.beginInsert(created, client),
                            rows(created, fields),
                            Optional.of(created.id()),
                            () -> dropStaged(created.id()));
            isBegun = true;
            return target;
        } finally {
            if (!isBegun) {
                dropStaged(created.id());
            }
        }
    }

    /** A staged table that its rows never reached; one that is public by now stays. */
    private void dropStaged(TableId id) {
        boolean isStaged =
                catalog.get()
                        .current()
                        .findTable(id)
                        .filter(entry -> entry.state().isStaged())
                        .isPresent();
        if (isStaged) {
            catalog.get().dropTable(id);
        }
    }

    private RowTarget into(
            TableSchema table,
            List<ArrowField> fields,
            Optional<SqlTransaction> transaction,
            SqlCaller caller,
            Client client) {
        if (transaction.isEmpty() && !hasDefaultBesides(table, fields)) {
            try {
                ArrowRows rows = rows(table, fields);
                return new RowTarget.Encoded(
                        executor.beginInsert(table, client), rows, Optional.empty(), () -> {});
            } catch (SteleException otherTypes) {
                // Casts as those of INSERT may do
                if (otherTypes.code() != ErrorCode.TYPE_MISMATCH) {
                    throw otherTypes;
                }
            }
        }
        SqlStatement insert = statements.prepare(insert(table, fields), caller);
        InsertPlan plan = (InsertPlan) ((PreparedStatement.OnRows) insert.prepared().kind()).plan();
        ParameterRows parameters = new ParameterRows(insert.parameters(), fields, ZoneOffset.UTC);
        Scope.Session session = caller.session(SqlTransaction.times(transaction, clock));
        return transaction.isPresent()
                ? new RowTarget.InTransaction(
                        executor, plan, parameters, session, transaction.get(), client)
                : new RowTarget.Planned(
                        executor.beginInsert(plan.table(), client), plan, parameters, session);
    }

    private static ArrowRows rows(TableSchema table, List<ArrowField> fields) {
        // By name: ids of a field are those of the table that it comes from
        List<ArrowField> named =
                fields.stream()
                        .map(
                                field ->
                                        new ArrowField(
                                                0,
                                                field.name(),
                                                field.arrowType(),
                                                field.nullable()))
                        .toList();
        return new ArrowRows(named, RowLayout.of(table.columns()));
    }

    private static boolean hasDefaultBesides(TableSchema table, List<ArrowField> fields) {
        Set<String> given = new HashSet<>();
        fields.forEach(field -> given.add(field.name().toLowerCase(Locale.ENGLISH)));
        return table.columns().stream()
                .anyMatch(
                        column ->
                                column.defaultValue().isPresent()
                                        && !given.contains(
                                                column.name().toLowerCase(Locale.ENGLISH)));
    }

    private static String insert(TableSchema table, List<ArrowField> fields) {
        List<String> columns = new ArrayList<>();
        List<String> parameters = new ArrayList<>();
        for (ArrowField field : fields) {
            String column =
                    table.findColumn(field.name())
                            .map(ColumnSchema::name)
                            .orElseThrow(
                                    () ->
                                            new PostgresException(
                                                    SqlState.UNDEFINED_COLUMN,
                                                    "Expected a column of %s, found Arrow field '%s'"
                                                            .formatted(
                                                                    table.qualifiedName(),
                                                                    field.name())));
            columns.add(quoted(column));
            parameters.add("$" + columns.size());
        }
        return "INSERT INTO %s.%s (%s) VALUES (%s)"
                .formatted(
                        quoted(table.schemaName()),
                        quoted(table.tableName()),
                        String.join(", ", columns),
                        String.join(", ", parameters));
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
