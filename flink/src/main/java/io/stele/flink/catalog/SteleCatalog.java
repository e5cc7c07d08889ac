package io.stele.flink.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleClient;
import io.stele.client.flight.FlightClient;
import io.stele.flink.SteleTableFactory;
import io.stele.flink.option.ConnectionOptions;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.DropSchemaRequest;
import io.stele.protocol.api.catalog.ListTablesRequest;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.RenameTableRequest;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.schema.TableSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.TableChange;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotEmptyException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.catalog.stats.CatalogTableStatistics;
import org.apache.flink.table.factories.Factory;
import org.jspecify.annotations.Nullable;

/**
 * The Flink catalog of Stele's schemas (Flink's databases) and tables. It caches nothing: each call
 * is a request to a sidecar and blocks. Its tables need no connection options, because its own
 * factory has the connection. Owns a client from {@link #open} to {@link #close}; confined to one
 * session.
 */
public final class SteleCatalog extends TablesOnlyCatalog {
    /**
     * The limit of one request. A statement may wait for other statements, and for the object
     * store.
     */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final ConnectionOptions connection;
    private @Nullable SteleClient client;

    public SteleCatalog(String name, String defaultDatabase, ConnectionOptions connection) {
        super(name, defaultDatabase);
        this.connection = requireNonNull(connection, "connection is null");
    }

    @Override
    public Optional<Factory> getFactory() {
        return Optional.of(new SteleTableFactory(connection));
    }

    @Override
    public void open() {
        client = connection.open("flink-catalog");
        try {
            listDatabases(); // fails now if no sidecar answers or the secret is wrong
        } catch (RuntimeException | Error failed) {
            close(); // Flink does not call close after a failed open
            throw failed;
        }
    }

    @Override
    public void close() {
        SteleClient opened = client;
        if (opened != null) {
            opened.close();
        }
    }

    /** Runs an action; blocks. A change takes effect once, even if the request is sent again. */
    private <Q, R> R run(Action<Q, R> action, Q request) {
        FlightClient flight = requireNonNull(client, "the catalog is open").flight();
        return flight.action(
                action,
                request,
                TIMEOUT,
                io.stele.protocol.QueryIdentity.NONE,
                Optional.of(UUID.randomUUID()));
    }

    private CatalogException failed(String what, SteleException cause) {
        return new CatalogException(
                "Cannot %s in Stele at %s: %s".formatted(what, connection, cause.getMessage()),
                cause);
    }

    @Override
    public List<String> listDatabases() {
        try {
            return run(CatalogActions.LIST_SCHEMAS, Done.DONE).schemaNames();
        } catch (SteleException e) {
            throw failed("list schemas", e);
        }
    }

    @Override
    public boolean databaseExists(String name) {
        return listDatabases().contains(name);
    }

    @Override
    public CatalogDatabase getDatabase(String name) throws DatabaseNotExistException {
        checkDatabase(name);
        return new CatalogDatabaseImpl(Map.of(), "");
    }

    private void checkDatabase(String name) throws DatabaseNotExistException {
        if (!databaseExists(name)) {
            throw new DatabaseNotExistException(getName(), name);
        }
    }

    @Override
    public void createDatabase(String name, CatalogDatabase database, boolean ignoreIfExists)
            throws DatabaseAlreadyExistException {
        if (!database.getProperties().isEmpty()) {
            throw new CatalogException(
                    "Expected no properties of database %s, found %s"
                            .formatted(name, database.getProperties()));
        }
        try {
            run(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest(name, ignoreIfExists));
        } catch (SteleException e) {
            if (e.code() == ErrorCode.SCHEMA_ALREADY_EXISTS) {
                throw new DatabaseAlreadyExistException(getName(), name, e);
            }
            throw failed("create schema " + name, e);
        }
    }

    @Override
    public void dropDatabase(String name, boolean ignoreIfNotExists, boolean cascade)
            throws DatabaseNotExistException, DatabaseNotEmptyException {
        try {
            run(CatalogActions.DROP_SCHEMA, new DropSchemaRequest(name, cascade));
        } catch (SteleException e) {
            if (e.code() == ErrorCode.SCHEMA_NOT_FOUND) {
                if (ignoreIfNotExists) {
                    return;
                }
                throw new DatabaseNotExistException(getName(), name, e);
            }
            if (e.code() == ErrorCode.SCHEMA_NOT_EMPTY) {
                throw new DatabaseNotEmptyException(getName(), name, e);
            }
            throw failed("drop schema " + name, e);
        }
    }

    @Override
    public List<String> listTables(String database) throws DatabaseNotExistException {
        checkDatabase(database);
        try {
            return run(CatalogActions.LIST_TABLES, new ListTablesRequest(Optional.of(database)))
                    .tables()
                    .stream()
                    .map(TableName::tableName)
                    .toList();
        } catch (SteleException e) {
            throw failed("list tables of schema " + database, e);
        }
    }

    private Optional<TableDescription> find(ObjectPath path) {
        try {
            RelationReply found =
                    run(
                            CatalogActions.GET_RELATION,
                            TableRequest.of(path.getDatabaseName(), path.getObjectName()));
            return found.table();
        } catch (SteleException e) {
            if (e.code() == ErrorCode.SCHEMA_NOT_FOUND || e.code() == ErrorCode.TABLE_NOT_FOUND) {
                return Optional.empty();
            }
            throw failed("describe table " + path, e);
        }
    }

    private TableDescription describe(ObjectPath path) throws TableNotExistException {
        return find(path).orElseThrow(() -> new TableNotExistException(getName(), path));
    }

    @Override
    public boolean tableExists(ObjectPath path) {
        return find(path).isPresent();
    }

    @Override
    public CatalogBaseTable getTable(ObjectPath path) throws TableNotExistException {
        return TableMapping.toFlink(describe(path).schema());
    }

    @Override
    public CatalogTableStatistics getTableStatistics(ObjectPath path)
            throws TableNotExistException {
        TableDescription found = describe(path);
        return new CatalogTableStatistics(
                found.statistics().rowCount(),
                0,
                found.statistics().sizeBytes(),
                found.statistics().sizeBytes());
    }

    @Override
    public void createTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfExists)
            throws TableAlreadyExistException, DatabaseNotExistException {
        if (!(table instanceof ResolvedCatalogTable resolved)) {
            throw new CatalogException(
                    "Expected a table for %s, found a %s".formatted(path, table.getTableKind()));
        }
        try {
            run(
                    CatalogActions.CREATE_TABLE,
                    new CreateTableRequest(
                            TableMapping.toStele(path, resolved),
                            TableMapping.tableGroup(resolved),
                            false,
                            ignoreIfExists));
        } catch (SteleException e) {
            if (e.code() == ErrorCode.SCHEMA_NOT_FOUND) {
                throw new DatabaseNotExistException(getName(), path.getDatabaseName(), e);
            }
            if (e.code() == ErrorCode.TABLE_ALREADY_EXISTS) {
                throw new TableAlreadyExistException(getName(), path, e);
            }
            throw failed("create table " + path, e);
        }
    }

    @Override
    public void dropTable(ObjectPath path, boolean ignoreIfNotExists)
            throws TableNotExistException {
        try {
            run(
                    CatalogActions.DROP_TABLE,
                    TableRequest.of(path.getDatabaseName(), path.getObjectName()));
        } catch (SteleException e) {
            if (e.code() != ErrorCode.TABLE_NOT_FOUND && e.code() != ErrorCode.SCHEMA_NOT_FOUND) {
                throw failed("drop table " + path, e);
            }
            if (!ignoreIfNotExists) {
                throw new TableNotExistException(getName(), path, e);
            }
        }
    }

    @Override
    public void alterTable(
            ObjectPath path,
            CatalogBaseTable table,
            List<TableChange> changes,
            boolean ignoreIfNotExists)
            throws TableNotExistException {
        Optional<TableDescription> found = find(path);
        if (found.isEmpty()) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new TableNotExistException(getName(), path);
        }
        TableSchema present = found.get().schema();
        TableAlteration alteration = TableAlteration.of(path, present, changes);
        try {
            alteration.apply(present, this::run);
        } catch (SteleException e) {
            throw failed("alter table " + path, e);
        }
    }

    @Override
    public void renameTable(ObjectPath path, String newName, boolean ignoreIfNotExists)
            throws TableNotExistException, TableAlreadyExistException {
        Optional<TableDescription> found = find(path);
        if (found.isEmpty()) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new TableNotExistException(getName(), path);
        }
        try {
            run(
                    CatalogActions.RENAME_TABLE,
                    new RenameTableRequest(
                            found.get().schema().id(),
                            new TableName(path.getDatabaseName(), newName)));
        } catch (SteleException e) {
            if (e.code() == ErrorCode.TABLE_ALREADY_EXISTS) {
                throw new TableAlreadyExistException(
                        getName(), new ObjectPath(path.getDatabaseName(), newName), e);
            }
            throw failed("rename table " + path, e);
        }
    }
}
