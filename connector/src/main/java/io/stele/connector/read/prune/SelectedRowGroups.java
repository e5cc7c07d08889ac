package io.stele.connector.read.prune;

import static java.util.Objects.requireNonNull;

import io.trino.orc.OrcPredicate;
import io.trino.orc.OrcReader;
import io.trino.orc.metadata.ColumnMetadata;
import io.trino.orc.metadata.StripeInformation;
import io.trino.orc.metadata.statistics.ColumnStatistics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.roaringbitmap.RoaringBitmap;

/**
 * A predicate of trino-orc that skips row groups without any selected row, besides those that
 * statistics rule out.
 *
 * <p>trino-orc does not pass the row group to a predicate. But it calls the predicate in a fixed
 * order. When a record reader is created, it calls it for the file, then for each stripe of the
 * split by offset. Later, at each stripe that matched and has several row groups, it calls it for
 * each row group. This class follows that order by row counts. If a count differs from the expected
 * one, it excludes nothing any more.
 *
 * <p>Confined to one record reader, and so to one driver.
 */
final class SelectedRowGroups implements OrcPredicate {
    private final OrcPredicate statistics;
    private final RoaringBitmap selected;
    private final List<Question> questions;
    private boolean lost;
    private int next;

    /**
     * @param selected ordinals of the rows that are wanted
     */
    SelectedRowGroups(
            OrcPredicate statistics,
            RoaringBitmap selected,
            OrcReader reader,
            long splitStart,
            long splitLength) {
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.selected = requireNonNull(selected, "selected is null");
        this.questions = questions(reader, splitStart, splitLength);
        // Without statistics of the file or of every stripe, trino-orc skips some of the calls
        this.lost =
                reader.getFooter().getFileStats().isEmpty()
                        || reader.getFooter().getRowsInRowGroup().isEmpty()
                        || reader.getMetadata().getStripeStatsList().size()
                                != reader.getFooter().getStripes().size()
                        || reader.getMetadata().getStripeStatsList().stream()
                                .anyMatch(stripe -> stripe.isEmpty());
    }

    private static List<Question> questions(OrcReader reader, long splitStart, long splitLength) {
        List<Question> asked = new ArrayList<>();
        asked.add(new Question(0, reader.getFooter().getNumberOfRows(), Question.FILE));
        List<StripeInformation> stripes =
                reader.getFooter().getStripes().stream()
                        .sorted(Comparator.comparingLong(StripeInformation::getOffset))
                        .toList();
        long firstRow = 0;
        for (StripeInformation stripe : stripes) {
            long offset = stripe.getOffset();
            if (splitStart <= offset && offset < splitStart + splitLength) {
                asked.add(new Question(firstRow, stripe.getNumberOfRows(), Question.STRIPE));
            }
            firstRow += stripe.getNumberOfRows();
        }
        List<Question> groups = new ArrayList<>();
        int groupRows = reader.getFooter().getRowsInRowGroup().orElse(Integer.MAX_VALUE);
        for (int stripe = 1; stripe < asked.size(); stripe++) {
            Question whole = asked.get(stripe);
            for (long row = 0; whole.rows > groupRows && row < whole.rows; row += groupRows) {
                long rows = Math.min(groupRows, whole.rows - row);
                groups.add(new Question(whole.firstRow + row, rows, stripe));
            }
        }
        asked.addAll(groups);
        return asked;
    }

    @Override
    public boolean matches(long numberOfRows, ColumnMetadata<ColumnStatistics> columns) {
        boolean matches = statistics.matches(numberOfRows, columns);
        if (lost || next == questions.size() || questions.get(next).rows != numberOfRows) {
            lost = true;
            return matches;
        }
        Question question = questions.get(next);
        next++;
        matches &= selected.intersects(question.firstRow, question.firstRow + question.rows);
        if (!matches && question.of == Question.STRIPE) {
            int stripe = next - 1;
            questions.removeIf(group -> group.of == stripe);
        }
        return matches;
    }

    /**
     * The next expected call.
     *
     * @param of {@link #FILE}, {@link #STRIPE}, or for a row group the place of its stripe in the
     *     sequence of calls
     */
    private record Question(long firstRow, long rows, int of) {
        static final int FILE = -2;
        static final int STRIPE = -1;
    }
}
