package io.stele.benchmarks.servers;

import java.sql.SQLException;
import java.util.List;

/** A query through Trino for a sample of the keys of existing TPC-H orders. */
public final class OrderKeys {
    private OrderKeys() {}

    /**
     * One in a hundred or so, from all over the table.
     *
     * @param scale schema of the catalog {@code tpch}
     */
    public static List<Long> some(TrinoSession trino, String scale) throws SQLException {
        return trino
                .query(
                        "SELECT o_orderkey FROM tpch.%s.orders WHERE o_orderkey %% 97 = 3"
                                .formatted(scale))
                .stream()
                .map(row -> ((Number) row.getFirst()).longValue())
                .toList();
    }
}
