package io.stele.benchmarks.choices;

import io.stele.benchmarks.servers.LoadedTable;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.TpchQuery;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The tables and queries of the benchmark: TPC-H and a small star schema made of it, with primary
 * keys. Files are sorted by other columns, so that a key's value does not show its place.
 */
final class ChosenTables {
    private static final List<TpchQuery> STAR =
            List.of(
                    // Twenty keys of a dimension, by a join
                    new TpchQuery(
                            "s01 best products of a day",
                            """
                            SELECT name, brand, amount
                            FROM (SELECT product_id, sum(amount) AS amount FROM sale WHERE sold_on = DATE '1995-03-17'
                                    GROUP BY product_id ORDER BY amount DESC, product_id LIMIT 20) AS best
                                JOIN product ON product.product_id = best.product_id
                            ORDER BY amount DESC, name"""),
                    // Some hundred keys of the facts, by a semi-join
                    new TpchQuery(
                            "s02 sales that were given back on a day",
                            """
                            SELECT count(*) AS sales, sum(quantity) AS pieces, sum(amount) AS amount
                            FROM sale
                            WHERE sale_id IN (SELECT sale_id FROM giveback WHERE returned_on = DATE '1994-05-02'
                                AND reason IN ('AIR', 'MAIL', 'SHIP'))"""),
                    // No keys: the facts are scanned, the dimensions read
                    new TpchQuery(
                            "s03 month by region and kind",
                            """
                            SELECT region, kind, count(*) AS sales, sum(amount) AS amount
                            FROM sale JOIN store ON sale.store_id = store.store_id
                                JOIN promotion ON sale.promotion_id = promotion.promotion_id
                            WHERE sold_on BETWEEN DATE '1996-02-01' AND DATE '1996-02-29' AND kind <> 'kind 3'
                            GROUP BY region, kind ORDER BY region, kind"""),
                    // Hundreds of keys of a larger dimension
                    new TpchQuery(
                            "s04 best shoppers of a month",
                            """
                            SELECT segment, count(*) AS shoppers, sum(amount) AS amount
                            FROM (SELECT shopper_id, sum(amount) AS amount FROM sale
                                    WHERE sold_on BETWEEN DATE '1996-02-01' AND DATE '1996-02-29'
                                    GROUP BY shopper_id ORDER BY amount DESC, shopper_id LIMIT 500) AS best
                                JOIN shopper ON shopper.shopper_id = best.shopper_id
                            GROUP BY segment ORDER BY segment"""),
                    // Keys in the query's text
                    new TpchQuery(
                            "s05 twenty products",
                            """
                            SELECT * FROM product
                            WHERE product_id IN (17, 512, 1201, 1999, 2718, 3141, 4243, 5001, 6007, 7001, 8111, 9001, 9973,
                                10007, 11003, 12007, 13001, 14009, 15013, 16001)
                            ORDER BY product_id"""),
                    new TpchQuery("s06 one sale", "SELECT * FROM sale WHERE sale_id = 32 * 8 + 1"),
                    // A dimension of one small file
                    new TpchQuery(
                            "s07 best stores of a week",
                            """
                            SELECT name, region, amount
                            FROM (SELECT store_id, sum(amount) AS amount FROM sale
                                    WHERE sold_on BETWEEN DATE '1997-08-04' AND DATE '1997-08-10'
                                    GROUP BY store_id ORDER BY amount DESC LIMIT 20) AS best
                                JOIN store ON store.store_id = best.store_id
                            ORDER BY amount DESC"""),
                    new TpchQuery(
                            "s08 sales of each store",
                            "SELECT store_id, count(*), sum(amount) FROM sale GROUP BY store_id ORDER BY store_id"));

    private ChosenTables() {}

    static List<TpchQuery> queries() {
        return Stream.concat(TpchQuery.all().stream(), STAR.stream()).toList();
    }

    /** Makes all tables in the session's schema, whose rows are all in files then. */
    static void load(TrinoSession trino, String scale) throws SQLException {
        List<String> analyzed = new ArrayList<>();
        for (LoadedTable table : LoadedTable.ALL) {
            trino.update(
                    "CREATE TABLE %s WITH (primary_key = ARRAY[%s], clustering_key = ARRAY['%s']) AS %s"
                            .formatted(
                                    table.name(),
                                    table.primaryKey(),
                                    table.clusteringKey(),
                                    table.select(scale)));
            trino.update("ALTER TABLE %s EXECUTE flush".formatted(table.name()));
            analyzed.add(table.name());
        }
        for (String table : analyzed) {
            trino.update("ANALYZE " + table);
        }
    }
}
