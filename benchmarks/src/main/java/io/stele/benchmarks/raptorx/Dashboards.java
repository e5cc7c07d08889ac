package io.stele.benchmarks.raptorx;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.TpchQueries;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.TpchQuery;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The dashboard queries of the cache benchmark, TPC-H Q1 and Q6 with dates a day later each time.
 * They query lineitem as it is loaded, whose files have rows of all dates, and a lineitem that is
 * partitioned by month, as tables of events are.
 */
final class Dashboards {
    private static final LocalDate SHIPPED_BEFORE = LocalDate.of(1998, 8, 25);
    private static final LocalDate YEAR_FROM = LocalDate.of(1994, 1, 1);

    private static final String BY_MONTH = "lineitem_by_month";

    private Dashboards() {}

    /**
     * One query on a number of days.
     *
     * @param before the days before
     * @param byMonth whether files have rows of a month each
     */
    record Panel(String name, boolean byMonth, List<TpchQuery> before, List<TpchQuery> days) {
        Panel {
            requireNonNull(name, "name is null");
            before = List.copyOf(before);
            days = List.copyOf(days);
        }

        private static Panel of(
                String name, boolean byMonth, int daysBefore, int days, IntFunction<String> query) {
            List<TpchQuery> all =
                    IntStream.range(0, daysBefore + days)
                            .mapToObj(
                                    day ->
                                            new TpchQuery(
                                                    name + " on day " + day,
                                                    in(query.apply(day), byMonth)))
                            .toList();
            return new Panel(
                    name, byMonth, all.subList(0, daysBefore), all.subList(daysBefore, all.size()));
        }

        /** Tables of the session's schema. */
        private static String in(String query, boolean byMonth) {
            String here = query.replace("%s.", "");
            return byMonth ? here.replace("FROM lineitem", "FROM " + BY_MONTH) : here;
        }
    }

    /**
     * @param daysBefore days before the measured ones
     */
    static List<Panel> panels(int daysBefore, int days) {
        List<Panel> panels = new ArrayList<>();
        for (boolean byMonth : List.of(false, true)) {
            String layout = byMonth ? ", by month" : "";
            panels.add(
                    Panel.of(
                            "q01 with dates that move" + layout,
                            byMonth,
                            daysBefore,
                            days,
                            day ->
                                    TpchQueries.Q1.replace(
                                            "DATE '1998-12-01' - INTERVAL '90' DAY",
                                            date(SHIPPED_BEFORE.plusDays(day)))));
            panels.add(
                    Panel.of(
                            "q06 with dates that move" + layout,
                            byMonth,
                            daysBefore,
                            days,
                            day ->
                                    TpchQueries.Q6.replace(
                                            "DATE '1994-01-01'", date(YEAR_FROM.plusDays(day)))));
        }
        return panels;
    }

    /**
     * Creates the table partitioned by month, from that of the generator.
     *
     * @param isIceberg whether the session's catalog partitions by an expression, or by a column
     * @param rows which of them, as conditions: each of them is a statement
     */
    static void load(TrinoSession trino, boolean isIceberg, String scale, List<String> rows)
            throws SQLException {
        String create =
                "CREATE TABLE %s WITH (%s) AS "
                        .formatted(
                                BY_MONTH,
                                isIceberg
                                        ? "partitioning = ARRAY['month(l_shipdate)']"
                                        : "partitioned_by = ARRAY['l_shipmonth']");
        String select =
                "SELECT *%s FROM tpch.%s.lineitem WHERE "
                        .formatted(
                                isIceberg ? "" : ", date_trunc('month', l_shipdate) AS l_shipmonth",
                                scale);
        trino.update(create + select + rows.getFirst());
        for (String more : rows.subList(1, rows.size())) {
            trino.update("INSERT INTO " + BY_MONTH + " " + select + more);
        }
        if (!isIceberg) {
            trino.flush(BY_MONTH);
        }
        trino.update("ANALYZE " + BY_MONTH);
    }

    private static String date(LocalDate date) {
        return "DATE '" + date + "'";
    }
}
