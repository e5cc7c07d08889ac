package io.stele.benchmarks.quickstart;

import io.stele.benchmarks.servers.Latencies;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import java.util.List;

/**
 * Part 2 of the demonstration: orders stream in while Trino queries; the next query has every
 * acknowledged order.
 */
final class StreamAndQuery {
    private static final int QUERIES = 12;
    private static final int FRESHNESS_PROBES = 20;

    /** Far above what the streams of the show reach. */
    private static final long FIRST_PROBE = 1L << 40;

    private StreamAndQuery() {}

    static void run(TrinoSession trino, SteleClient client, Findings findings) throws Exception {
        findings.heading("2. A live stream of orders while Trino queries run");
        LiveOrders.create(trino);
        Latencies acknowledgement;
        try (OrderStream stream = OrderStream.start(client, 1)) {
            acknowledgement = stream.latencies();
            queryWhileStreaming(trino, stream, findings);
            freshness(trino, client, findings);
        }
        findings.measured(
                "acknowledgement of a batch of 100 rows",
                "p50 %.1f ms, p99 %.1f ms",
                acknowledgement.millis(50),
                acknowledgement.millis(99));
    }

    private static void queryWhileStreaming(
            TrinoSession trino, OrderStream stream, Findings findings) throws Exception {
        long missing = 0;
        long seen = 0;
        for (int query = 0; query < QUERIES; query++) {
            long next = stream.acknowledged();
            List<Object> row =
                    trino.query(
                                    "SELECT count_if(orderkey < %d), count(*) FROM stele.live.orders"
                                            .formatted(next))
                            .getFirst();
            seen = (Long) row.get(1);
            missing += next - stream.first() - (Long) row.get(0);
        }
        findings.checkEqual(
                "each of %d queries saw every order acknowledged before it (%,d orders at the end)"
                        .formatted(QUERIES, seen),
                0L,
                missing);
    }

    /**
     * Time from the acknowledgement of a row to its appearance: to a lookup, and in a whole SQL
     * query.
     */
    private static void freshness(TrinoSession trino, SteleClient client, Findings findings)
            throws Exception {
        Latencies toLookup = new Latencies();
        Latencies toQuery = new Latencies();
        int missing = 0;
        SteleTable table = client.table(LiveOrders.SCHEMA, LiveOrders.TABLE);
        try (TableWriter writer = table.writer()) {
            for (long orderkey = FIRST_PROBE;
                    orderkey < FIRST_PROBE + FRESHNESS_PROBES;
                    orderkey++) {
                writer.upsert(LiveOrders.row(orderkey)).get();
                long acknowledged = System.nanoTime();
                missing += table.get(orderkey).isPresent() ? 0 : 1;
                toLookup.record(System.nanoTime() - acknowledged);
                missing +=
                        trino.number(
                                                "SELECT count(*) FROM stele.live.orders WHERE orderkey = "
                                                        + orderkey)
                                        == 1
                                ? 0
                                : 1;
                toQuery.record(System.nanoTime() - acknowledged);
            }
        }
        findings.checkEqual("each probe row was visible at once", 0, missing);
        findings.measured(
                "freshness: acknowledged to found by key",
                "p50 %.2f ms, p99 %.2f ms",
                toLookup.millis(50),
                toLookup.millis(99));
        findings.measured(
                "freshness: acknowledged to returned by a Trino query",
                "p50 %.0f ms, p99 %.0f ms",
                toQuery.millis(50),
                toQuery.millis(99));
        trino.update("DELETE FROM stele.live.orders WHERE orderkey >= " + FIRST_PROBE);
    }
}
