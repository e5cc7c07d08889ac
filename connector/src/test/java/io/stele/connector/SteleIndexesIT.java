package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.testing.LongRun;
import io.trino.Session;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Secondary indexes through SQL. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleIndexesIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleIndexesIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    static List<String> orientations() {
        return LongRun.combinations(List.of("row,column"), List.of("row", "column"));
    }

    @ParameterizedTest
    @MethodSource("orientations")
    void aUniqueIndexRefusesDuplicatesFromEverySide(String orientation) {
        String table = SteleQueries.newTable("unique_mail");
        queries.run(
                "CREATE TABLE %s (id bigint, mail varchar) WITH (primary_key = ARRAY['id'], shard_count = 1, orientation = '%s', indexes = ARRAY['unique by_mail(mail)'])"
                        .formatted(table, orientation));
        queries.update(
                "INSERT INTO %s VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, NULL)".formatted(table));
        String duplicate =
                "Expected new values in unique index 'by_mail' of table s.%s, found the duplicate key (mail = %s), which the row (id = %s) has";
        assertRefused(
                "INSERT INTO %s VALUES (5, 'a')".formatted(table),
                duplicate.formatted(table, "a", 1));
        cluster.sidecar().flush("s", table);
        assertRefused(
                "UPDATE %s SET mail = 'b' WHERE id = 1".formatted(table),
                duplicate.formatted(table, "b", 2));
        assertRefused(
                "UPDATE %s SET mail = 'c'".formatted(table), "found the duplicate key (mail = c)");
        queries.update(
                "UPDATE %s SET mail = IF(mail = 'a', 'b', 'a') WHERE mail IS NOT NULL"
                        .formatted(table)); // a swap
        assertRefused(
                "MERGE INTO %1$s t USING (VALUES (9, 'a')) AS s(id, mail) ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.mail)"
                        .formatted(table),
                duplicate.formatted(table, "a", 2));
        assertRefused(
                "INSERT INTO %s SELECT orderkey + 100, IF(orderkey = 7, 'b', orderstatus || CAST(orderkey AS varchar)) FROM tpch.tiny.orders"
                        .formatted(table),
                "found the duplicate key (mail = b)");
        assertRefused(
                "INSERT INTO %s SELECT orderkey + 100, orderstatus FROM tpch.tiny.orders"
                        .formatted(table),
                "found the duplicate key (mail = ");
        assertThat(queries.count("SELECT count(*) FROM " + table)).isEqualTo(4);
        assertThat(
                        queries.update(
                                "INSERT INTO %s SELECT orderkey + 100, 'm' || CAST(orderkey AS varchar) FROM tpch.tiny.orders"
                                        .formatted(table)))
                .isEqualTo(15_000);
        assertRefused(
                "INSERT INTO %s VALUES (5, 'm7')".formatted(table),
                duplicate.formatted(table, "m7", 107));
        queries.update("DELETE FROM %s WHERE mail = 'm7'".formatted(table));
        queries.update("INSERT INTO %s VALUES (5, 'm7')".formatted(table));

        try (SteleClient client = cluster.sidecar().client();
                TableWriter writer = client.writer("s", table)) {
            assertThatThrownBy(() -> writer.upsert(6L, "m7").join())
                    .hasMessageContaining(duplicate.formatted(table, "m7", 5));
            assertThatThrownBy(writer::flush)
                    .hasMessageContaining(duplicate.formatted(table, "m7", 5));
        }

        queries.run("ALTER TABLE %s SET PROPERTIES indexes = DEFAULT".formatted(table));
        queries.update("INSERT INTO %s VALUES (7, 'm7')".formatted(table));
        assertRefused(
                "ALTER TABLE %s SET PROPERTIES indexes = ARRAY['unique by_mail(mail)']"
                        .formatted(table),
                "Expected unique values for index 'by_mail' of table s.%s, found the duplicate key (mail = m7) in the rows (id = 5) and (id = 7)"
                        .formatted(table));
        assertThat((String) queries.value("SHOW CREATE TABLE " + table)).doesNotContain("by_mail");
        queries.update("DELETE FROM %s WHERE id = 7".formatted(table));
        queries.run(
                "ALTER TABLE %s SET PROPERTIES indexes = ARRAY['unique by_mail(mail)']"
                        .formatted(table));
        assertRefused(
                "INSERT INTO %s VALUES (7, 'm7')".formatted(table),
                duplicate.formatted(table, "m7", 5));
    }

    @Test
    void aUniqueIndexOverShardsContainsTheDistributionKey() {
        String table = SteleQueries.newTable("unique_shards");
        String create =
                "CREATE TABLE %s (id bigint, region bigint, mail varchar) WITH (primary_key = ARRAY['id', 'region'], distribution_key = ARRAY['region'], shard_count = 2, indexes = ARRAY['%s'])";
        assertThat(queries.failure(create.formatted(table, "unique by_mail(mail)")))
                .hasMessageContaining(
                        "a unique index 'by_mail' that contains the distribution key, or one shard");
        queries.run(create.formatted(table, "unique by_mail(region, mail)"));
        queries.update("INSERT INTO %s VALUES (1, 1, 'a'), (2, 2, 'a')".formatted(table));
        assertRefused(
                "INSERT INTO %s VALUES (3, 2, 'a')".formatted(table),
                "(region = 2, mail = a), which the row (id = 2, region = 2) has");
        assertThat(
                        queries.failure(
                                "ALTER TABLE %s SET PROPERTIES indexes = ARRAY['unique by_mail(mail)']"
                                        .formatted(table)))
                .hasMessageContaining(
                        "a unique index 'by_mail' that contains the distribution key, or one shard");
    }

    @Test
    void showCreateTableGivesIndexesBack() {
        String table = SteleQueries.newTable("shown");
        String create =
                """
                CREATE TABLE stele.s.%s (
                   a bigint NOT NULL,
                   b varchar,
                   c date
                )
                WITH (
                   indexes = ARRAY['by_b(b)','unique by_c(c, a)'],
                   primary_key = ARRAY['a']
                )""";
        queries.run(create.formatted(table));
        assertThat((String) queries.value("SHOW CREATE TABLE " + table))
                .isEqualTo(create.formatted(table));
        String copy = SteleQueries.newTable("copied");
        queries.run(((String) queries.value("SHOW CREATE TABLE " + table)).replace(table, copy));
        queries.run("ALTER TABLE %s RENAME TO %s_new".formatted(copy, copy));
        queries.run("ALTER TABLE %s_new SET PROPERTIES indexes = ARRAY['by_b(b)']".formatted(copy));
        assertThat((String) queries.value("SHOW CREATE TABLE %s_new".formatted(copy)))
                .contains("indexes = ARRAY['by_b(b)'],");
    }

    @ParameterizedTest
    @MethodSource("orientations")
    void valuesOfAnIndexAreLookedUp(String orientation) {
        String plain = SteleQueries.newTable("plain");
        String table = SteleQueries.newTable("looked_up");
        for (String name : new String[] {plain, table}) {
            queries.run(
                    """
                    CREATE TABLE %s WITH (primary_key = ARRAY['id'], shard_count = 2, orientation = '%s'%s) AS
                    SELECT orderkey AS id, custkey AS customer, orderstatus AS status, clerk, totalprice FROM tpch.tiny.orders"""
                            .formatted(
                                    name,
                                    orientation,
                                    name.equals(table)
                                            ? ", indexes = ARRAY['by_customer(customer)','by_clerk(clerk, status)','by_price(totalprice)']"
                                            : ""));
        }
        sameRowsByIndex(plain, table, orientation);
        for (String name : new String[] {plain, table}) {
            queries.update("UPDATE %s SET customer = 88 WHERE id %% 1000 = 7".formatted(name));
            queries.update("UPDATE %s SET clerk = 'new' WHERE customer = 91".formatted(name));
            queries.update("DELETE FROM %s WHERE customer = 94".formatted(name));
        }
        sameRowsByIndex(plain, table, orientation);
        cluster.sidecar().flush("s", table);
        sameRowsByIndex(plain, table, orientation);
        cluster.sidecar().compact("s", table);
        sameRowsByIndex(plain, table, orientation);

        queries.run("ALTER TABLE %s SET PROPERTIES indexes = DEFAULT".formatted(table));
        assertThat(queries.explain("SELECT * FROM %s WHERE customer = 88".formatted(table)))
                .doesNotContain("index=");
        queries.assertSame(
                "SELECT * FROM %s WHERE customer = 88".formatted(table),
                "SELECT * FROM %s WHERE customer = 88".formatted(plain));
    }

    private void sameRowsByIndex(String plain, String table, String orientation) {
        byIndex(plain, table, orientation, "by_customer", "customer = 88");
        byIndex(plain, table, orientation, "by_customer", "customer IN (88, 91, 94, -1)");
        byIndex(plain, table, orientation, "by_customer", "customer = 88 AND status = 'O'");
        byIndex(plain, table, orientation, "by_clerk", "clerk = 'new' AND status IN ('O', 'F')");
        byIndex(
                plain,
                table,
                orientation,
                "by_clerk",
                "status = 'F' AND clerk = 'Clerk#000000951' AND customer > 700");
        byIndex(plain, table, orientation, "by_price", "totalprice = 172799.49");
        byIndex(plain, table, orientation, "by_customer", "customer = -5");
        for (String predicate :
                new String[] {
                    "clerk = 'new'",
                    "customer > 1490",
                    "customer = 88 OR customer IS NULL",
                    "customer = 88 AND id = 7"
                }) {
            String query = "SELECT * FROM %s WHERE " + predicate;
            assertThat(queries.explain(query.formatted(table))).doesNotContain("index=");
            queries.assertSame(query.formatted(table), query.formatted(plain));
        }
    }

    private void byIndex(
            String plain, String table, String orientation, String index, String predicate) {
        String query = "SELECT * FROM %s WHERE " + predicate;
        assertThat(queries.explain(query.formatted(table))).contains(" index=" + index);
        queries.assertSame(query.formatted(table), query.formatted(plain));
        Session scanning =
                Session.builder(cluster.runner().getDefaultSession())
                        .setCatalogSessionProperty("stele", "index_lookup_enabled", "false")
                        .build();
        assertThat(cluster.runner().execute(scanning, query.formatted(table)).getMaterializedRows())
                .containsExactlyInAnyOrderElementsOf(
                        queries.run(query.formatted(plain)).getMaterializedRows());
        if (orientation.contains("column") && !predicate.contains(" AND ")) {
            // No file was read: what came is what is wanted.
            assertThat(queries.scannedRows(query.formatted(table)))
                    .isEqualTo(
                            queries.count(
                                    "SELECT count(*) FROM %s WHERE ".formatted(plain) + predicate));
        }
    }

    private void assertRefused(String sql, String message) {
        assertThat(queries.failure(sql)).hasMessageContaining(message);
    }
}
