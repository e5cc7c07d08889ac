package io.stele.sidecar.postgresql.session;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.run.Client;
import io.stele.sidecar.postgresql.session.PreparedStatement.OnTrino;
import io.stele.sidecar.postgresql.sql.Identifiers;
import io.stele.sidecar.postgresql.trino.TrinoGateway;
import io.stele.sidecar.postgresql.trino.TrinoIdentity;
import io.stele.sidecar.postgresql.trino.TrinoRows;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.List;
import java.util.Optional;

/**
 * The execution of one PostgreSQL session's statements that Trino runs, with the session's
 * settings, in the connection's thread. Confined to this thread.
 */
final class TrinoExecution {
    private final Optional<TrinoGateway> gateway;
    private final String user;
    private final Settings settings;
    private final Client client;

    TrinoExecution(Optional<TrinoGateway> gateway, String user, Settings settings, Client client) {
        this.gateway = requireNonNull(gateway, "gateway is null");
        this.user = requireNonNull(user, "user is null");
        this.settings = requireNonNull(settings, "settings is null");
        this.client = requireNonNull(client, "client is null");
    }

    private TrinoGateway trino() {
        return gateway.orElseThrow(() -> new IllegalStateException("No Trino is known"));
    }

    private TrinoIdentity identity() {
        return new TrinoIdentity(
                user, settings.applicationName(), settings.zone(), settings.searchPath());
    }

    /**
     * Adds the types of all its parameters to a statement that Trino runs; returns other statements
     * unchanged.
     */
    PreparedStatement resolve(PreparedStatement statement) {
        if (!(statement.kind() instanceof OnTrino kind) || kind.statement().numbers().isEmpty()) {
            return statement;
        }
        client.cancellation().begin(settings.statementTimeoutMillis());
        List<Integer> oids =
                trino().parameterOids(
                                kind.statement(),
                                kind.parameterOids(),
                                identity(),
                                client.cancellation());
        return statement.with(kind.withParameters(oids));
    }

    /** The columns of a statement that has not started; empty if it returns no rows. */
    Optional<List<CatalogColumn>> describe(OnTrino kind) {
        if (!kind.returnsRows()) {
            return Optional.empty();
        }
        client.cancellation().begin(settings.statementTimeoutMillis());
        return Optional.of(trino().describe(kind.statement(), identity(), client.cancellation()));
    }

    /**
     * The columns of a portal, whose query is started by this call; empty if it returns no rows.
     */
    Optional<List<CatalogColumn>> describe(OnTrino kind, Portal portal, TransactionBlock block) {
        if (!kind.returnsRows()) {
            return Optional.empty();
        }
        return Optional.of(rows(kind, portal, block).query().columns());
    }

    /** The rows of a portal, whose statement is started if it was not. */
    QueryRows rows(OnTrino kind, Portal portal, TransactionBlock block) {
        if (portal.rows() instanceof QueryRows begun) {
            return begun;
        }
        if (portal.isStarted()) {
            throw new PostgresException(
                    SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "Expected a portal that has not run, found one whose statement is done");
        }
        block.checkTrinoMay(kind.mayChange());
        List<Optional<String>> values = Parameters.texts(portal.parameters());
        if (values.size() < kind.statement().count()) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected %s parameters, found %s"
                            .formatted(kind.statement().count(), values.size()));
        }
        QueryRows rows =
                new QueryRows(
                        trino().run(
                                        kind.statement(),
                                        kind.mayChange(),
                                        kind.parameterOids(),
                                        values,
                                        identity(),
                                        client.cancellation()),
                        portal.formats(),
                        kind.described());
        portal.start(0, rows);
        return rows;
    }

    /**
     * Waits for the end of a statement that returns no rows.
     *
     * @return its tag
     */
    String complete(OnTrino kind, Portal portal, TransactionBlock block) {
        TrinoRows query = rows(kind, portal, block).query();
        String tag = query.complete(TrinoStatements.firstWord(kind.statement().sql()));
        Optional<String> catalog = query.newCatalog();
        if (catalog.isPresent() && !trino().isCatalog(catalog.get())) {
            throw new PostgresException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "Expected USE of a schema of this catalog, found catalog '%s': write its name before those of tables"
                            .formatted(catalog.get()));
        }
        query.newSchema()
                .ifPresent(schema -> settings.set("search_path", Identifiers.quoted(schema)));
        portal.done();
        return tag;
    }
}
