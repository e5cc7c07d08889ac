package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import java.sql.SQLException;
import java.util.List;

/**
 * The definition of a benchmark table of TPC-H, or of a small star schema, and the query over
 * Trino's generator that fills it. All tables are in one schema, with different names. Immutable.
 *
 * @param primaryKey its columns, as an array of SQL has them
 * @param clusteringKey a column that is not the first of the key
 * @param query its rows; {@code %1$s} is a schema of TPC-H
 */
public record LoadedTable(String name, String primaryKey, String clusteringKey, String query) {
    /** The eight of TPC-H, then those of the star schema. */
    public static final List<LoadedTable> ALL =
            List.of(
                    tpch("lineitem", "'l_orderkey', 'l_linenumber'", "l_shipdate"),
                    tpch("orders", "'o_orderkey'", "o_orderdate"),
                    tpch("customer", "'c_custkey'", "c_nationkey"),
                    tpch("part", "'p_partkey'", "p_brand"),
                    tpch("supplier", "'s_suppkey'", "s_nationkey"),
                    tpch("partsupp", "'ps_partkey', 'ps_suppkey'", "ps_availqty"),
                    tpch("nation", "'n_nationkey'", "n_regionkey"),
                    tpch("region", "'r_regionkey'", "r_name"),
                    new LoadedTable(
                            "sale",
                            "'sale_id'",
                            "sold_on",
                            """
                            SELECT l_orderkey * 8 + l_linenumber AS sale_id, l_shipdate AS sold_on, l_partkey AS product_id,
                                l_suppkey % 100 AS store_id, l_orderkey * 7919 % (SELECT count(*) FROM %1$s.customer) AS shopper_id,
                                l_partkey % 300 AS promotion_id, l_quantity AS quantity, l_extendedprice AS amount
                            FROM %1$s.lineitem"""),
                    new LoadedTable(
                            "giveback",
                            "'sale_id'",
                            "returned_on",
                            """
                            SELECT l_orderkey * 8 + l_linenumber AS sale_id, l_receiptdate AS returned_on, l_shipmode AS reason
                            FROM %1$s.lineitem WHERE l_returnflag = 'R'"""),
                    new LoadedTable(
                            "product",
                            "'product_id'",
                            "brand",
                            """
                            SELECT p_partkey AS product_id, p_name AS name, p_brand AS brand, p_type AS kind, p_size AS size,
                                p_comment AS description
                            FROM %1$s.part"""),
                    new LoadedTable(
                            "shopper",
                            "'shopper_id'",
                            "segment",
                            """
                            SELECT c_custkey AS shopper_id, c_name AS name, c_address AS address, c_phone AS phone,
                                c_mktsegment AS segment, c_comment AS remarks
                            FROM %1$s.customer"""),
                    new LoadedTable(
                            "store",
                            "'store_id'",
                            "region",
                            """
                            SELECT id AS store_id, 'store ' || CAST(id AS varchar) AS name, 'region ' || CAST(id %% 7 AS varchar) AS region
                            FROM UNNEST(sequence(0, 99)) AS ids (id)"""),
                    new LoadedTable(
                            "promotion",
                            "'promotion_id'",
                            "kind",
                            """
                            SELECT id AS promotion_id, 'kind ' || CAST(id %% 11 AS varchar) AS kind
                            FROM UNNEST(sequence(0, 299)) AS ids (id)"""));

    /** The eight of TPC-H. */
    public static final List<LoadedTable> TPCH = ALL.stream().filter(LoadedTable::isTpch).toList();

    /** Dimensions of the star schema of 5 to 2,557 rows, most of them of other dimensions. */
    public static final List<LoadedTable> SMALL_DIMENSIONS =
            List.of(
                    new LoadedTable(
                            "calendar",
                            "'on_day'",
                            "quarter",
                            """
                            SELECT on_day, year(on_day) AS year,
                                CAST(year(on_day) AS varchar) || ' Q' || CAST(quarter(on_day) AS varchar) AS quarter,
                                on_day = CAST(date_trunc('quarter', on_day) AS date) AS is_first_of_quarter
                            FROM UNNEST(sequence(DATE '1992-01-01', DATE '1998-12-31', INTERVAL '1' DAY)) AS days (on_day)"""),
                    new LoadedTable(
                            "area",
                            "'region'",
                            "manager",
                            """
                            SELECT 'region ' || CAST(id AS varchar) AS region, 'manager ' || CAST(id %% 3 AS varchar) AS manager
                            FROM UNNEST(sequence(0, 6)) AS ids (id)"""),
                    new LoadedTable(
                            "campaign",
                            "'kind'",
                            "channel",
                            """
                            SELECT 'kind ' || CAST(id AS varchar) AS kind, 'channel ' || CAST(id %% 4 AS varchar) AS channel
                            FROM UNNEST(sequence(0, 10)) AS ids (id)"""),
                    new LoadedTable(
                            "segment",
                            "'segment'",
                            "segment_group",
                            """
                            SELECT c_mktsegment AS segment, substr(c_mktsegment, 1, 1) AS segment_group
                            FROM %1$s.customer GROUP BY c_mktsegment"""),
                    new LoadedTable(
                            "brand",
                            "'brand'",
                            "maker",
                            """
                            SELECT p_brand AS brand, substr(p_brand, 7, 1) AS maker
                            FROM %1$s.part GROUP BY p_brand"""));

    public LoadedTable {
        requireNonNull(name, "name is null");
        requireNonNull(primaryKey, "primaryKey is null");
        requireNonNull(clusteringKey, "clusteringKey is null");
        requireNonNull(query, "query is null");
    }

    private static LoadedTable tpch(String name, String primaryKey, String clusteringKey) {
        return new LoadedTable(name, primaryKey, clusteringKey, "SELECT * FROM %1$s." + name);
    }

    /**
     * The query of its rows.
     *
     * @param scale the schema of TPC-H, as sf1
     */
    public String select(String scale) {
        return query.replace("%1$s", "tpch.\"" + scale + "\"").replace("%%", "%");
    }

    /**
     * Makes tables of Stele in the session's schema, flushed and analyzed. They have their primary
     * keys, and files are sorted by another column, so that a key's value does not show its place.
     *
     * @param scale the schema of TPC-H
     */
    public static void loadKeyed(TrinoSession trino, List<LoadedTable> tables, String scale)
            throws SQLException {
        for (LoadedTable table : tables) {
            trino.update(
                    "CREATE TABLE %s WITH (primary_key = ARRAY[%s], clustering_key = ARRAY['%s']) AS %s"
                            .formatted(
                                    table.name,
                                    table.primaryKey,
                                    table.clusteringKey,
                                    table.select(scale)));
            trino.flush(table.name);
        }
        for (LoadedTable table : tables) {
            trino.update("ANALYZE " + table.name);
        }
    }

    /** Whether it is one of the eight of TPC-H, whose columns begin with a letter and a line. */
    public boolean isTpch() {
        return query.startsWith("SELECT * FROM");
    }
}
