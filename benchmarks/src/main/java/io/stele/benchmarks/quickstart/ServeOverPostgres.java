package io.stele.benchmarks.quickstart;

import io.stele.benchmarks.servers.Latencies;
import io.stele.benchmarks.servers.TrinoSession;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * Part 5 of the demonstration: a client of PostgreSQL writes an order, which is in the next query
 * of Trino, reads orders by key, and asks Trino over the same connection.
 */
final class ServeOverPostgres {
    /** Below those that are streamed. */
    private static final long ORDER = -1;

    private static final int LOOKUPS = 200;

    private ServeOverPostgres() {}

    static void run(TrinoSession trino, Connection postgres, Findings findings)
            throws SQLException {
        findings.heading("5. The same tables over PostgreSQL's protocol");
        write(postgres);
        findings.checkEqual(
                "an order written over PostgreSQL is in the next query of Trino",
                List.of(List.of("new", new BigDecimal("12.50"))),
                trino.query(
                        "SELECT status, totalprice FROM stele.live.orders WHERE orderkey = "
                                + ORDER));
        lookups(postgres, findings);
        findings.checkEqual(
                "a join over the same connection, which Trino runs",
                trino.number(
                        "SELECT count(*) FROM stele.live.orders o JOIN stele.live.accounts a ON"
                                + " o.custkey = a.id"),
                number(
                        postgres,
                        "SELECT count(*) FROM orders o JOIN accounts a ON o.custkey = a.id"));
    }

    private static void write(Connection postgres) throws SQLException {
        try (PreparedStatement insert =
                postgres.prepareStatement(
                        "INSERT INTO orders (orderkey, status, totalprice) VALUES (?, 'new', ?) ON"
                                + " CONFLICT (orderkey) DO NOTHING")) {
            insert.setLong(1, ORDER);
            insert.setBigDecimal(2, new BigDecimal("12.50"));
            insert.executeUpdate();
        }
    }

    private static void lookups(Connection postgres, Findings findings) throws SQLException {
        Latencies latencies = new Latencies();
        try (PreparedStatement lookup =
                postgres.prepareStatement("SELECT owner FROM accounts WHERE id = ?")) {
            int found = 0;
            for (int i = 0; i < LOOKUPS; i++) {
                long start = System.nanoTime();
                lookup.setLong(1, 1 + i);
                try (ResultSet rows = lookup.executeQuery()) {
                    found += rows.next() ? 1 : 0;
                }
                latencies.record(System.nanoTime() - start);
            }
            findings.checkEqual(LOOKUPS + " accounts are found by key", LOOKUPS, found);
        }
        findings.measured("lookup by key over PostgreSQL", "p50 %.2f ms", latencies.millis(50));
    }

    private static long number(Connection postgres, String sql) throws SQLException {
        try (Statement statement = postgres.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
