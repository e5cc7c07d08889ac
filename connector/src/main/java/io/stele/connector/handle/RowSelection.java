package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * The part of a table handle that restricts the rows a scan must return: a limit, a top-N and a
 * sample.
 *
 * @param limit how many rows are wanted at most from any one split
 * @param topN the first rows of an order; no split has to return more
 * @param sample the share of row groups that is wanted
 */
public record RowSelection(
        OptionalLong limit, Optional<SteleTopN> topN, Optional<SteleSample> sample) {
    /** All rows. */
    public static final RowSelection ALL =
            new RowSelection(OptionalLong.empty(), Optional.empty(), Optional.empty());

    public RowSelection {
        requireNonNull(limit, "limit is null");
        requireNonNull(topN, "topN is null");
        requireNonNull(sample, "sample is null");
    }

    /** Whether every row is wanted. */
    public boolean isAll() {
        return equals(ALL);
    }

    RowSelection withLimit(long newLimit) {
        return new RowSelection(OptionalLong.of(newLimit), topN, sample);
    }

    RowSelection withTopN(SteleTopN newTopN) {
        return new RowSelection(limit, Optional.of(newTopN), sample);
    }

    RowSelection withSample(SteleSample newSample) {
        return new RowSelection(limit, topN, Optional.of(newSample));
    }

    /** The text in EXPLAIN; empty if all rows are wanted. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        sample.ifPresent(part -> text.append(" sample=").append(part));
        topN.ifPresent(first -> text.append(" topN=").append(first));
        limit.ifPresent(rows -> text.append(" limit=").append(rows));
        return text.toString();
    }
}
