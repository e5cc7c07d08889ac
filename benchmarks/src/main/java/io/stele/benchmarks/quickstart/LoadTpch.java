package io.stele.benchmarks.quickstart;

import io.stele.benchmarks.servers.TpchQueries;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.TpchQuery;
import java.sql.SQLException;
import java.util.List;

/**
 * Part 1 of the demonstration: TPC-H is loaded from Trino's generator into Stele, and both return
 * the same answers.
 */
final class LoadTpch {
    private LoadTpch() {}

    static void run(TrinoSession trino, Findings findings, String scale) throws SQLException {
        findings.heading("1. TPC-H (%s) loaded with CREATE TABLE AS SELECT".formatted(scale));
        trino.update("CREATE SCHEMA stele.tpch");
        long rows = 0;
        long start = System.nanoTime();
        for (String table : TpchQuery.TABLES) {
            rows += trino.update(create(table, scale));
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        findings.measured("load (CTAS, 8 tables)", "%,d rows in %.1f s", rows, seconds);
        for (String table : TpchQuery.TABLES) {
            findings.checkEqual(
                    "count of " + table,
                    trino.number("SELECT count(*) FROM tpch.\"%s\".%s".formatted(scale, table)),
                    trino.number("SELECT count(*) FROM stele.tpch." + table));
        }
        compare(trino, findings, scale, "Q1", TpchQueries.Q1);
        compare(trino, findings, scale, "Q6", TpchQueries.Q6);
    }

    private static String create(String table, String scale) {
        // Orders and lineitem share a distribution key, as in a schema of a user that joins them.
        String properties =
                switch (table) {
                    case "orders" -> " WITH (primary_key = ARRAY['o_orderkey'])";
                    case "lineitem" ->
                            " WITH (primary_key = ARRAY['l_orderkey', 'l_linenumber'], distribution_key = ARRAY['l_orderkey'])";
                    default -> "";
                };
        return "CREATE TABLE stele.tpch.%s%s AS SELECT * FROM tpch.\"%s\".%s"
                .formatted(table, properties, scale, table);
    }

    private static void compare(
            TrinoSession trino, Findings findings, String scale, String name, String query)
            throws SQLException {
        List<List<Object>> expected = trino.query(query.formatted("tpch.\"%s\"".formatted(scale)));
        String ours = query.formatted("stele.tpch");
        long start = System.nanoTime();
        List<List<Object>> found = trino.query(ours);
        double millis = (System.nanoTime() - start) / 1e6;
        findings.check(
                name + " gives what the generator gives",
                TpchQueries.agree(expected, found),
                "expected %s, found %s".formatted(expected, found));
        findings.measured(name, "%.0f ms", millis);
    }
}
