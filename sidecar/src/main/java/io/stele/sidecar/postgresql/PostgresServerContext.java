package io.stele.sidecar.postgresql;

import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.postgresql.auth.PostgresUsers;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.session.StatementPreparer;
import io.stele.sidecar.postgresql.trino.TrinoGateway;
import io.stele.sidecar.statement.StatementStatistics;
import io.stele.sidecar.tls.TlsIdentity;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;

/**
 * The state that all connections of the PostgreSQL server share: its settings, limits, logins and
 * executors.
 *
 * @param version of the server, as clients see it
 * @param users that may log in
 * @param logins the connections that have not logged in
 * @param places permits of the connections that may still log in
 * @param trino empty: statements without a fixed plan are refused
 * @param pending permits for large messages, in KiB
 */
record PostgresServerContext(
        PostgresConfig config,
        String version,
        Optional<TlsIdentity> tls,
        PostgresUsers users,
        PendingLogins logins,
        Semaphore places,
        Semaphore pending,
        AccessMetrics metrics,
        PlanExecutor executor,
        StatementPreparer preparer,
        Optional<TrinoGateway> trino,
        StatementStatistics statistics,
        CancelKeys cancelKeys,
        InstantSource clock,
        LongSupplier nanoTime) {}
