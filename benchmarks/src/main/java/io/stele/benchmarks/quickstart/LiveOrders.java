package io.stele.benchmarks.quickstart;

import io.stele.benchmarks.servers.TrinoSession;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.LocalDateTime;

/**
 * The table that the quickstart streams into, and its generated rows: row {@code n} is a function
 * of {@code n}.
 */
final class LiveOrders {
    static final String SCHEMA = "live";
    static final String TABLE = "orders";

    private static final LocalDateTime FIRST_ORDER = LocalDateTime.of(2026, 1, 1, 0, 0);
    private static final int CUSTOMERS = 1_500;

    private LiveOrders() {}

    static void create(TrinoSession trino) throws SQLException {
        trino.update("CREATE SCHEMA stele.live");
        trino.update(
                "CREATE TABLE stele.live.orders (orderkey BIGINT NOT NULL, custkey BIGINT, status VARCHAR,"
                        + " totalprice DECIMAL(12, 2), ordered_at TIMESTAMP(6))"
                        + " WITH (primary_key = ARRAY['orderkey'], orientation = 'column')");
    }

    static Object[] row(long orderkey) {
        return new Object[] {
            orderkey,
            orderkey % CUSTOMERS,
            "O",
            BigDecimal.valueOf(orderkey % 10_000_000 + 99, 2),
            FIRST_ORDER.plusSeconds(orderkey)
        };
    }
}
