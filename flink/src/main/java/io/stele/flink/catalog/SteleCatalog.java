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
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.ViewSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.CatalogView;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedCatalogView;
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
 * The Flink catalog of Stele's schemas (Flink's databases), tables and views. It caches nothing:
 * each call is a request to a sidecar and blocks. Its tables need no connection options, because
 * its own factory has the connection. Owns a client from {@link #open} to {@link #close}; confined
 * to one session.
 */
public final class SteleCatalog extends RelationsOnlyCatalog {
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

    private ViewStatements views() {
        return new ViewStatements(this::run);
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

    /** The tables and views, as Flink asks for them. */
    @Override
    public List<String> listTables(String database) throws DatabaseNotExistException {
        List<String> names = new ArrayList<>(listViews(database));
        try {
            run(CatalogActions.LIST_TABLES, new ListTablesRequest(Optional.of(database)))
                    .tables()
                    .forEach(table -> names.add(table.tableName()));
            return List.copyOf(names);
        } catch (SteleException e) {
            throw failed("list tables of schema " + database, e);
        }
    }

    /** The views, also those that Flink cannot read. */
    @Override
    public List<String> listViews(String database) throws DatabaseNotExistException {
        checkDatabase(database);
        try {
            return run(CatalogActions.LIST_VIEWS, new ListTablesRequest(Optional.of(database)))
                    .views()
                    .stream()
                    .map(ViewSchema::viewName)
                    .toList();
        } catch (SteleException e) {
            throw failed("list views of schema " + database, e);
        }
    }

    /** The table or view of a name; empty if there is neither. */
    private Optional<RelationReply> find(ObjectPath path) {
        try {
            RelationReply found =
                    run(
                            CatalogActions.GET_RELATION,
                            TableRequest.of(path.getDatabaseName(), path.getObjectName()));
            return Optional.of(found)
                    .filter(reply -> reply.table().isPresent() || reply.view().isPresent());
        } catch (SteleException e) {
            if (e.code() == ErrorCode.SCHEMA_NOT_FOUND || e.code() == ErrorCode.TABLE_NOT_FOUND) {
                return Optional.empty();
            }
            throw failed("describe table " + path, e);
        }
    }

    private RelationReply describe(ObjectPath path) throws TableNotExistException {
        return find(path).orElseThrow(() -> new TableNotExistException(getName(), path));
    }

    /** The relation that a statement changes; empty if there is none and that is no error. */
    private Optional<RelationReply> find(ObjectPath path, boolean ignoreIfNotExists)
            throws TableNotExistException {
        return ignoreIfNotExists ? find(path) : Optional.of(describe(path));
    }

    @Override
    public boolean tableExists(ObjectPath path) {
        return find(path).isPresent();
    }

    @Override
    public CatalogBaseTable getTable(ObjectPath path) throws TableNotExistException {
        RelationReply found = describe(path);
        return found.view().isPresent()
                ? ViewDocument.of(found.view().get()).toFlink()
                : TableMapping.toFlink(found.table().orElseThrow().schema());
    }

    @Override
    public CatalogTableStatistics getTableStatistics(ObjectPath path)
            throws TableNotExistException {
        return describe(path)
                .table()
                .map(
                        table ->
                                new CatalogTableStatistics(
                                        table.statistics().rowCount(),
                                        0,
                                        table.statistics().sizeBytes(),
                                        table.statistics().sizeBytes()))
                .orElse(CatalogTableStatistics.UNKNOWN);
    }

    @Override
    public void createTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfExists)
            throws TableAlreadyExistException, DatabaseNotExistException {
        try {
            if (table instanceof ResolvedCatalogTable resolved) {
                createTable(path, resolved, ignoreIfExists);
            } else if (table instanceof ResolvedCatalogView view) {
                views().create(path, view, ignoreIfExists);
            } else {
                throw new CatalogException(
                        "Expected a table or view for %s, found a %s"
                                .formatted(path, table.getTableKind()));
            }
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

    private void createTable(ObjectPath path, ResolvedCatalogTable table, boolean ignoreIfExists) {
        run(
                CatalogActions.CREATE_TABLE,
                new CreateTableRequest(
                        TableMapping.toStele(path, table),
                        TableMapping.tableGroup(table),
                        false,
                        ignoreIfExists));
    }

    @Override
    public void dropTable(ObjectPath path, boolean ignoreIfNotExists)
            throws TableNotExistException {
        Optional<RelationReply> found = find(path, ignoreIfNotExists);
        if (found.isEmpty()) {
            return;
        }
        try {
            Optional<ViewSchema> view = found.get().view();
            if (view.isPresent()) {
                views().drop(view.get());
            } else {
                run(
                        CatalogActions.DROP_TABLE,
                        TableRequest.of(path.getDatabaseName(), path.getObjectName()));
            }
        } catch (SteleException e) {
            if (e.code() != ErrorCode.TABLE_NOT_FOUND && e.code() != ErrorCode.SCHEMA_NOT_FOUND) {
                throw failed("drop table " + path, e);
            }
            if (!ignoreIfNotExists) {
                throw new TableNotExistException(getName(), path, e);
            }
        }
    }

    /** Replaces the definition of a view. */
    @Override
    public void alterTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfNotExists)
            throws TableNotExistException {
        Optional<RelationReply> found = find(path, ignoreIfNotExists);
        if (found.isEmpty()) {
            return;
        }
        Optional<ViewSchema> present = found.get().view();
        if (present.isEmpty() || !(table instanceof ResolvedCatalogView view)) {
            throw unsupported("alter table " + path);
        }
        try {
            views().set(present.get(), path, view);
        } catch (SteleException e) {
            throw failed("alter view " + path, e);
        }
    }

    @Override
    public void alterTable(
            ObjectPath path,
            CatalogBaseTable table,
            List<TableChange> changes,
            boolean ignoreIfNotExists)
            throws TableNotExistException {
        if (table instanceof CatalogView) {
            alterTable(path, table, ignoreIfNotExists);
            return;
        }
        Optional<RelationReply> found = find(path, ignoreIfNotExists);
        if (found.isEmpty()) {
            return;
        }
        TableSchema present =
                found.get()
                        .table()
                        .orElseThrow(() -> unsupported("alter view " + path + " as a table"))
                        .schema();
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
        Optional<RelationReply> found = find(path, ignoreIfNotExists);
        if (found.isEmpty()) {
            return;
        }
        TableName target = new TableName(path.getDatabaseName(), newName);
        try {
            Optional<ViewSchema> view = found.get().view();
            if (view.isPresent()) {
                views().rename(view.get(), target);
            } else {
                run(
                        CatalogActions.RENAME_TABLE,
                        new RenameTableRequest(
                                found.get().table().orElseThrow().schema().id(), target));
            }
        } catch (SteleException e) {
            if (e.code() == ErrorCode.TABLE_ALREADY_EXISTS) {
                throw new TableAlreadyExistException(
                        getName(), new ObjectPath(path.getDatabaseName(), newName), e);
            }
            throw failed("rename table " + path, e);
        }
    }
}
