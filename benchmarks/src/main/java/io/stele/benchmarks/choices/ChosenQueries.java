package io.stele.benchmarks.choices;

import io.stele.benchmarks.servers.LoadedTable;
import io.stele.testing.TpchQuery;
import java.util.List;
import java.util.stream.Stream;

/**
 * The tables and queries of the benchmark: TPC-H, a small star schema made of it with many small
 * dimensions, and dashboards over that. Files are sorted by other columns than the primary keys.
 */
final class ChosenQueries {
    static final List<LoadedTable> TABLES =
            Stream.concat(LoadedTable.ALL.stream(), LoadedTable.SMALL_DIMENSIONS.stream()).toList();

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
                            "SELECT store_id, count(*), sum(amount) FROM sale GROUP BY store_id ORDER BY store_id"),
                    // Few rows of many dimensions choose a small part of the facts
                    new TpchQuery(
                            "s09 a quarter by nine dimensions",
                            """
                            SELECT quarter, manager, channel, segment_group, maker, count(*) AS sales, sum(amount) AS amount
                            FROM sale JOIN calendar ON sale.sold_on = calendar.on_day
                                JOIN store ON sale.store_id = store.store_id
                                JOIN area ON store.region = area.region
                                JOIN promotion ON sale.promotion_id = promotion.promotion_id
                                JOIN campaign ON promotion.kind = campaign.kind
                                JOIN shopper ON sale.shopper_id = shopper.shopper_id
                                JOIN segment ON shopper.segment = segment.segment
                                JOIN product ON sale.product_id = product.product_id
                                JOIN brand ON product.brand = brand.brand
                            WHERE quarter = '1996 Q1' AND manager = 'manager 2' AND channel = 'channel 1'
                            GROUP BY quarter, manager, channel, segment_group, maker
                            ORDER BY quarter, manager, channel, segment_group, maker"""),
                    // The same dimensions without the large ones, and all of the facts
                    new TpchQuery(
                            "s10 years by small dimensions",
                            """
                            SELECT year, manager, channel, count(*) AS sales, sum(amount) AS amount
                            FROM sale JOIN calendar ON sale.sold_on = calendar.on_day
                                JOIN store ON sale.store_id = store.store_id
                                JOIN area ON store.region = area.region
                                JOIN promotion ON sale.promotion_id = promotion.promotion_id
                                JOIN campaign ON promotion.kind = campaign.kind
                            GROUP BY year, manager, channel ORDER BY year, manager, channel"""),
                    // A join whose few keys choose days of the facts
                    new TpchQuery(
                            "s11 first days of quarters",
                            """
                            SELECT quarter, count(*) AS sales, sum(amount) AS amount
                            FROM sale JOIN calendar ON sale.sold_on = calendar.on_day
                            WHERE is_first_of_quarter AND year = 1997
                            GROUP BY quarter ORDER BY quarter"""));

    private static final List<TpchQuery> DASHBOARDS =
            List.of(
                    new TpchQuery(
                            "d01 days of a month",
                            """
                            SELECT sold_on, count(*) AS sales, sum(amount) AS amount FROM sale
                            WHERE sold_on BETWEEN DATE '1998-06-01' AND DATE '1998-06-30'
                            GROUP BY sold_on ORDER BY sold_on"""),
                    new TpchQuery(
                            "d02 numbers of a day",
                            "SELECT count(*), sum(amount), sum(quantity), max(amount) FROM sale WHERE sold_on = DATE '1998-06-30'"),
                    new TpchQuery(
                            "d03 best products of a month",
                            """
                            SELECT product_id, sum(amount) AS amount FROM sale
                            WHERE sold_on BETWEEN DATE '1998-06-01' AND DATE '1998-06-30'
                            GROUP BY product_id ORDER BY amount DESC, product_id LIMIT 10"""),
                    new TpchQuery(
                            "d04 reasons by month",
                            """
                            SELECT date_trunc('month', returned_on) AS month, reason, count(*) AS givebacks FROM giveback
                            WHERE returned_on >= DATE '1994-06-01' GROUP BY 1, 2 ORDER BY 1, 2"""),
                    new TpchQuery(
                            "d05 newest sales",
                            "SELECT * FROM sale WHERE sold_on >= DATE '1998-11-01' ORDER BY sold_on DESC, sale_id LIMIT 50"),
                    new TpchQuery(
                            "d06 shoppers by segment",
                            "SELECT segment, count(*) FROM shopper GROUP BY segment ORDER BY segment"),
                    new TpchQuery(
                            "d07 a store's month by promotion",
                            """
                            SELECT promotion_id, count(*) AS sales, sum(amount) AS amount FROM sale
                            WHERE store_id = 42 AND sold_on BETWEEN DATE '1998-06-01' AND DATE '1998-06-30'
                            GROUP BY promotion_id ORDER BY promotion_id"""));

    private ChosenQueries() {}

    static List<TpchQuery> queries() {
        return Stream.of(TpchQuery.all(), STAR, DASHBOARDS).flatMap(List::stream).toList();
    }
}
