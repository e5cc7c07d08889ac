package io.stele.benchmarks.servers;

import java.util.List;
import java.util.Objects;

/**
 * TPC-H queries 1 and 6 with the standard's column names; {@code %s} stands for catalog and schema.
 */
public final class TpchQueries {
    public static final String Q1 =
            """
            SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
                sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
                sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
                avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc,
                count(*) AS count_order
            FROM %s.lineitem
            WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
            GROUP BY l_returnflag, l_linestatus
            ORDER BY l_returnflag, l_linestatus""";

    public static final String Q6 =
            """
            SELECT sum(l_extendedprice * l_discount) AS revenue
            FROM %s.lineitem
            WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
                AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24""";

    /** Sums of doubles depend on the order of addition, in their last digits only. */
    private static final double RELATIVE_DIFFERENCE = 1e-9;

    private TpchQueries() {}

    /** Whether two results are the same but for the last digits of floating-point values. */
    public static boolean agree(List<List<Object>> expected, List<List<Object>> found) {
        if (expected.size() != found.size()) {
            return false;
        }
        for (int row = 0; row < expected.size(); row++) {
            if (!rowsAgree(expected.get(row), found.get(row))) {
                return false;
            }
        }
        return true;
    }

    private static boolean rowsAgree(List<Object> expected, List<Object> found) {
        if (expected.size() != found.size()) {
            return false;
        }
        for (int column = 0; column < expected.size(); column++) {
            if (!valuesAgree(expected.get(column), found.get(column))) {
                return false;
            }
        }
        return true;
    }

    private static boolean valuesAgree(Object expected, Object found) {
        if (expected instanceof Double left && found instanceof Double right) {
            return Math.abs(left - right) <= RELATIVE_DIFFERENCE * Math.abs(left);
        }
        return Objects.equals(expected, found);
    }
}
