package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

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

    /** Whether it is one of the eight of TPC-H, whose columns begin with a letter and a line. */
    public boolean isTpch() {
        return query.startsWith("SELECT * FROM");
    }
}
