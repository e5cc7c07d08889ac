package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.client.SteleClient;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.schema.TableSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * The resources that the clients of a chaos run share: Java and Flight connections, statements
 * under deadlines, and findings. Thread-safe; a Trino session that it opens belongs to the
 * requesting client.
 *
 * @param largeRows whether rows of megabytes are among those written
 * @param largeTransactions whether transactions near and above the limits are among those written
 * @param tally of the client that has this context
 */
record ClientContext(
        Run run,
        Findings findings,
        Deadlines deadlines,
        SteleClient client,
        FlightClient flight,
        boolean largeRows,
        boolean largeTransactions,
        ClientTally tally) {
    static final String SCHEMA = "chaos";

    /** How long an open outcome is requested, over restarts and outages. */
    static final Duration ASKING = Duration.ofSeconds(2L * ChaosRun.DEADLINE_SECONDS);

    private static final long SNAPSHOT_MILLIS = 60_000;

    /** Clients do not retry a server that is away a thousand times a second. */
    private static final long FAILURE_PAUSE_MILLIS = 100;

    ClientContext {
        requireNonNull(run, "run is null");
        requireNonNull(findings, "findings is null");
        requireNonNull(deadlines, "deadlines is null");
        requireNonNull(client, "client is null");
        requireNonNull(flight, "flight is null");
        requireNonNull(tally, "tally is null");
    }

    /** The same for the client that is counted here. */
    ClientContext countedBy(ClientTally other) {
        return new ClientContext(
                run, findings, deadlines, client, flight, largeRows, largeTransactions, other);
    }

    /** Does something that counts as a statement and has its deadline. */
    <T> T statement(String what, Callable<T> task) throws Exception {
        tally.stated();
        try {
            return deadlines.within(tally.key() + ": " + Findings.shortened(what), task);
        } catch (SteleException | SQLException e) {
            findings.count("failures of " + tally.key() + " " + Failures.code(e));
            Failures.report(tally.key(), what, e, findings);
            TimeUnit.MILLISECONDS.sleep(FAILURE_PAUSE_MILLIS);
            throw e;
        }
    }

    /** A session whose statements end by themselves some time behind their deadline. */
    TrinoSession session() throws SQLException {
        TrinoSession session = TrinoSession.connect(run.uri("trino.uri"));
        session.use("stele", SCHEMA);
        session.update(
                "SET SESSION query_max_run_time = '%ds'".formatted(ChaosRun.DEADLINE_SECONDS + 20));
        return session;
    }

    List<List<Object>> query(TrinoSession session, String sql) throws Exception {
        return statement(sql, () -> session.query(sql));
    }

    long update(TrinoSession session, String sql) throws Exception {
        return statement(sql, () -> session.update(sql));
    }

    /**
     * Runs any change of the catalog: while the outcome of an earlier one is unknown in the store,
     * others are refused, and reads show the state before it.
     */
    void settle(TrinoSession session, String view) throws Exception {
        update(session, "CREATE OR REPLACE VIEW %s AS SELECT 1 AS one".formatted(view));
    }

    /** An answer was compared with the model; these are the differences. */
    void checked(List<String> wrong) {
        tally.checked();
        wrong.forEach(this::violation);
    }

    /** This client was promised something else. */
    void violation(String what) {
        findings.violation(tally.key(), what);
    }

    /** A snapshot of all tables; {@link #closeSnapshot} lets go of it, or a minute does. */
    SnapshotReply openSnapshot() {
        return flight.action(
                SnapshotActions.OPEN_SNAPSHOT,
                new OpenSnapshotRequest(List.of(), Optional.empty(), SNAPSHOT_MILLIS));
    }

    void closeSnapshot(SnapshotReply snapshot) {
        flight.action(
                SnapshotActions.CLOSE_SNAPSHOT, new CloseSnapshotRequest(snapshot.snapshotId()));
    }

    void createTable(TableSchema schema) {
        try {
            flight().action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest(SCHEMA, true));
        } catch (SteleException e) {
            if (e.code() != ErrorCode.SCHEMA_ALREADY_EXISTS) {
                throw e;
            }
        }
        flight().action(
                        CatalogActions.CREATE_TABLE,
                        new CreateTableRequest(schema, "", false, true));
    }
}
