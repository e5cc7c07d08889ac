package io.stele.benchmarks.raptorx;

import io.stele.benchmarks.servers.TpchQueries;
import io.stele.testing.TpchQuery;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.IntStream;

/** The first and the sixth query of TPC-H, each time with dates a day later: panels of today. */
final class Dashboards {
    private static final LocalDate SHIPPED_BEFORE = LocalDate.of(1998, 9, 2);
    private static final LocalDate YEAR_FROM = LocalDate.of(1994, 1, 1);

    private Dashboards() {}

    /** What is asked on a number of days. */
    static List<TpchQuery> q1(int days) {
        return IntStream.range(0, days)
                .mapToObj(
                        day ->
                                new TpchQuery(
                                        "q01 on day " + day,
                                        in(TpchQueries.Q1)
                                                .replace(
                                                        "DATE '1998-12-01' - INTERVAL '90' DAY",
                                                        date(SHIPPED_BEFORE.plusDays(day)))))
                .toList();
    }

    static List<TpchQuery> q6(int days) {
        return IntStream.range(0, days)
                .mapToObj(
                        day ->
                                new TpchQuery(
                                        "q06 on day " + day,
                                        in(TpchQueries.Q6)
                                                .replace(
                                                        "DATE '1994-01-01'",
                                                        date(YEAR_FROM.plusDays(day)))))
                .toList();
    }

    /** Tables of the session's schema. */
    private static String in(String query) {
        return query.replace("%s.", "");
    }

    private static String date(LocalDate date) {
        return "DATE '" + date + "'";
    }
}
