package io.stele.engine.manifest.orc;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.Reader;
import org.apache.orc.StripeInformation;
import org.apache.orc.StripeStatistics;
import org.apache.orc.impl.RecordReaderImpl;

/**
 * A selection of the stripes of a manifest base that may have matching rows, by their statistics in
 * the file metadata. The ORC library itself only checks row groups, whose index needs a request per
 * stripe.
 */
final class StripePicker {
    private StripePicker() {}

    /** A run of adjacent stripes, in bytes. */
    record Run(long offset, long length) {}

    /**
     * @param argument empty: all stripes
     * @param index returns the position among the file's columns of a column in the argument
     */
    static List<Run> pick(
            Reader orc, Optional<SearchArgument> argument, ToIntFunction<String> index)
            throws IOException {
        List<StripeInformation> stripes = orc.getStripes();
        List<StripeStatistics> statistics =
                argument.isPresent() ? orc.getStripeStatistics() : List.of();
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < stripes.size(); i++) {
            if (argument.isPresent()
                    && !mayMatch(argument.get(), statistics.get(i).getColumnStatistics(), index)) {
                continue;
            }
            StripeInformation stripe = stripes.get(i);
            Run last = runs.isEmpty() ? new Run(0, 0) : runs.getLast();
            if (last.length() > 0
                    && last.offset() + last.length() == stripe.getOffset()
                    && last.length() + stripe.getLength() <= ChunkedReader.REQUEST_BYTES) {
                runs.set(
                        runs.size() - 1,
                        new Run(last.offset(), last.length() + stripe.getLength()));
            } else {
                runs.add(new Run(stripe.getOffset(), stripe.getLength()));
            }
        }
        return runs;
    }

    private static boolean mayMatch(
            SearchArgument argument, ColumnStatistics[] statistics, ToIntFunction<String> index) {
        List<PredicateLeaf> leaves = argument.getLeaves();
        SearchArgument.TruthValue[] values = new SearchArgument.TruthValue[leaves.size()];
        for (int i = 0; i < values.length; i++) {
            int column = index.applyAsInt(leaves.get(i).getColumnName()) + 1; // after the root
            values[i] = RecordReaderImpl.evaluatePredicate(statistics[column], leaves.get(i), null);
        }
        return argument.evaluate(values).isNeeded();
    }
}
