package io.stele.objectstore.retrieval;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.api.status.ReadCounters;
import io.stele.protocol.api.status.RetrievalUse;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TestRetrievalReport {
    private final RetrievalReport report = new RetrievalReport();

    private static ReadCounters requests(long count) {
        return new ReadCounters(count, 1, 0, 10 * count, 1, 2);
    }

    private List<RetrievalUse> uses() {
        return report.uses(Optional.empty());
    }

    @Test
    void scansAddUpByTableAndByQuery() {
        report.add("s.a", "q1", requests(1));
        report.add("s.b", "q1", requests(5));
        report.add("s.a", "q2", requests(2));
        report.add("s.a", "q1", new ReadCounters(3, 7, 1, 0, 0, 0));
        report.add("s.a", "", requests(4));
        assertThat(uses())
                .containsExactly(
                        new RetrievalUse("s.a", "", 4, new ReadCounters(10, 7, 1, 70, 3, 6)),
                        new RetrievalUse("s.b", "", 1, requests(5)),
                        new RetrievalUse("s.a", "q1", 2, new ReadCounters(4, 7, 1, 10, 1, 2)),
                        new RetrievalUse("s.a", "q2", 1, requests(2)),
                        new RetrievalUse("s.b", "q1", 1, requests(5)));
    }

    @Test
    void theNewestQueriesStay() {
        for (int query = 0; query < RetrievalReport.MAX_QUERIES + 10; query++) {
            report.add("s.a", "q" + query, requests(1));
        }
        assertThat(uses()).hasSize(RetrievalReport.MAX_QUERIES + 1);
        assertThat(uses().get(1).queryId()).isEqualTo("q" + (RetrievalReport.MAX_QUERIES + 9));
        assertThat(uses().getLast().queryId()).isEqualTo("q10");
        assertThat(uses().getFirst().scans()).isEqualTo(RetrievalReport.MAX_QUERIES + 10);
    }

    @Test
    void tablesWithFewRequestsAreCountedTogether() {
        int tables = RetrievalReport.MAX_TABLES + 20;
        long all = 0;
        for (int table = 1; table <= tables; table++) {
            report.add("s.t" + table, "", requests(table));
            all += table;
        }
        List<RetrievalUse> uses = uses();
        assertThat(uses).hasSizeLessThanOrEqualTo(RetrievalReport.MAX_TABLES + 1);
        assertThat(uses).extracting(RetrievalUse::tableName).contains(RetrievalReport.OTHERS);
        assertThat(uses).extracting(RetrievalUse::tableName).contains("s.t" + tables);
        assertThat(
                        uses.stream()
                                .map(RetrievalUse::counters)
                                .reduce(ReadCounters.NONE, ReadCounters::plus))
                .isEqualTo(new ReadCounters(all, 1, 0, 10 * all, tables, 2L * tables));
        assertThat(uses.stream().mapToLong(RetrievalUse::scans).sum()).isEqualTo(tables);
    }

    /** It has a row of its own again, and what it had before stays with the others. */
    @Test
    void aTableThatIsUsedAgainIsCountedOnce() {
        report.add("s.a", "", requests(1));
        report.add("s.a", "", requests(2));
        for (int table = 0; table < RetrievalReport.MAX_TABLES; table++) {
            report.add("s.t" + table, "", requests(1000 + table));
        }
        report.add("s.a", "", requests(5000));
        assertThat(uses())
                .startsWith(new RetrievalUse("s.a", "", 1, requests(5000)))
                .contains(
                        new RetrievalUse(
                                RetrievalReport.OTHERS,
                                "",
                                3,
                                requests(1).plus(requests(2)).plus(requests(1000))));
    }
}
