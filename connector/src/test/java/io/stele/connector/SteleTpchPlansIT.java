package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.JoinOrder;
import io.stele.testing.TpchQuery;
import io.trino.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The join orders of TPC-H beside those that Trino chooses with the exact statistics of its
 * generator, which is what any connector's statistics are estimates of.
 */
@ExtendWith(SteleCluster.OfTwoNodes.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleTpchPlansIT {
    private static final String EXACT = "tpch_exact";

    /**
     * The generator's tables lie by order key, so Trino keeps lineitem and orders together there.
     * Without that, lineitem meets first what leaves a 150th of it (part), or a 25th (supplier).
     */
    private static final Map<String, String> BETTER =
            Map.of(
                    "q08",
                    "(((orders (lineitem part)) (customer (nation region))) (supplier nation))",
                    "q21",
                    "((lineitem ((lineitem (supplier nation)) orders)) lineitem)");

    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleTpchPlansIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @BeforeAll
    void load() {
        cluster.runner().createCatalog(EXACT, "tpch", Map.of("tpch.column-naming", "STANDARD"));
        queries.run("CREATE SCHEMA stele.tpch_plans");
        for (String table : TpchQuery.TABLES) {
            queries.run(
                    "CREATE TABLE stele.tpch_plans.%s AS SELECT * FROM %s.tiny.%s"
                            .formatted(table, EXACT, table));
            cluster.sidecar().flush("tpch_plans", table);
        }
    }

    @AfterAll
    void drop() {
        queries.run("DROP SCHEMA stele.tpch_plans CASCADE");
        queries.run("DROP CATALOG " + EXACT);
    }

    @Test
    void joinOrdersAreThoseOfExactStatistics() {
        List<String> differences = new ArrayList<>();
        for (TpchQuery query : TpchQuery.all()) {
            String exact = joins(query, EXACT, "tiny");
            String found = joins(query, "stele", "tpch_plans");
            if (!BETTER.getOrDefault(query.name(), exact).equals(found)) {
                differences.add(query.name() + ": exact " + exact + ", found " + found);
            }
        }
        assertThat(differences).isEmpty();
    }

    private String joins(TpchQuery query, String catalog, String schema) {
        Session session =
                Session.builder(cluster.runner().getDefaultSession())
                        .setCatalog(catalog)
                        .setSchema(schema)
                        .build();
        String json =
                (String)
                        cluster.runner()
                                .execute(
                                        session,
                                        "EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON) " + query.sql())
                                .getOnlyValue();
        return JoinOrder.of(json);
    }
}
