package io.stele.benchmarks.quickstart;

import io.stele.benchmarks.servers.TrinoSession;
import java.sql.SQLException;
import java.util.List;

/**
 * Part 3 of the demonstration: lookup by key, UPDATE, DELETE and MERGE, each verified by a query.
 */
final class KeyedStatements {
    private KeyedStatements() {}

    static void run(TrinoSession trino, Findings findings) throws SQLException {
        findings.heading("3. Lookup by key, UPDATE, DELETE, MERGE");
        trino.update(
                "CREATE TABLE stele.live.accounts (id BIGINT NOT NULL, owner VARCHAR, balance DECIMAL(18, 2))"
                        + " WITH (primary_key = ARRAY['id'], orientation = 'row,column')");
        findings.checkEqual(
                "INSERT of 1,000 accounts",
                1000L,
                trino.update(
                        "INSERT INTO stele.live.accounts"
                                + " SELECT n, 'owner-' || CAST(n AS VARCHAR), DECIMAL '100.00'"
                                + " FROM UNNEST(sequence(1, 1000)) AS t(n)"));
        lookup(trino, findings);
        update(trino, findings);
        delete(trino, findings);
        merge(trino, findings);
    }

    private static void lookup(TrinoSession trino, Findings findings) throws SQLException {
        String sql = "SELECT owner FROM stele.live.accounts WHERE id = 42";
        List<List<Object>> found = trino.query(sql);
        findings.checkEqual("lookup of key 42", List.of(List.of("owner-42")), found);
        long start = System.nanoTime();
        trino.query(sql);
        findings.measured(
                "lookup by key through Trino", "%.0f ms", (System.nanoTime() - start) / 1e6);
    }

    private static void update(TrinoSession trino, Findings findings) throws SQLException {
        findings.checkEqual(
                "UPDATE of 100 accounts",
                100L,
                trino.update(
                        "UPDATE stele.live.accounts SET balance = balance + 10 WHERE id <= 100"));
        findings.checkEqual(
                "the sum of balances rose by 1,000",
                101_000L,
                trino.number("SELECT CAST(sum(balance) AS BIGINT) FROM stele.live.accounts"));
    }

    private static void delete(TrinoSession trino, Findings findings) throws SQLException {
        findings.checkEqual(
                "DELETE of 200 accounts",
                200L,
                trino.update("DELETE FROM stele.live.accounts WHERE id > 800"));
        findings.checkEqual(
                "800 accounts are left",
                800L,
                trino.number("SELECT count(*) FROM stele.live.accounts"));
        findings.checkEqual(
                "no deleted account is found by key",
                0L,
                trino.number("SELECT count(*) FROM stele.live.accounts WHERE id = 900"));
    }

    private static void merge(TrinoSession trino, Findings findings) throws SQLException {
        trino.update(
                "MERGE INTO stele.live.accounts a"
                        + " USING (SELECT n FROM UNNEST(sequence(701, 900)) AS t(n)) s ON a.id = s.n"
                        + " WHEN MATCHED AND s.n <= 750 THEN DELETE"
                        + " WHEN MATCHED THEN UPDATE SET balance = 0"
                        + " WHEN NOT MATCHED THEN INSERT VALUES (s.n, 'merged', DECIMAL '7.00')");
        findings.checkEqual(
                "MERGE deleted 50, updated 50 and inserted 100",
                List.of(List.of(850L, 50L, 100L)),
                trino.query(
                        "SELECT count(*), count_if(balance = 0), count_if(owner = 'merged') FROM stele.live.accounts"));
    }
}
