package io.stele.connector.read.prune;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleSample;
import io.trino.orc.OrcPredicate;
import io.trino.orc.OrcReader;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * The rows of a split's file that bitmap indexes and a sample select, and its deleted rows.
 * Immutable.
 */
public final class SelectedRows {
    /** If more than one row group in this many is wanted, one long read is less work. */
    private static final int SPARSE_SHARE = 3;

    private final SteleFileSplit split;
    private final OrcReader reader;
    private final Optional<RoaringBitmap> selected;

    private SelectedRows(SteleFileSplit split, OrcReader reader, Optional<RoaringBitmap> selected) {
        this.split = requireNonNull(split, "split is null");
        this.reader = requireNonNull(reader, "reader is null");
        this.selected = requireNonNull(selected, "selected is null");
    }

    /**
     * @param sample of the rows; empty: all
     * @param indexed rows that bitmap indexes select; empty: all
     */
    public static SelectedRows of(
            SteleFileSplit split,
            OrcReader reader,
            Optional<SteleSample> sample,
            Optional<RoaringBitmap> indexed) {
        Optional<RoaringBitmap> selected =
                sample.map(share -> SampledRowGroups.of(share, split, reader))
                        .map(
                                sampled ->
                                        indexed.map(rows -> RoaringBitmap.and(rows, sampled))
                                                .orElse(sampled))
                        .or(() -> indexed);
        return new SelectedRows(split, reader, selected);
    }

    /** Whether only deleted rows are excluded. */
    public boolean isAll() {
        return selected.isEmpty();
    }

    public boolean isNone() {
        return selected.isPresent() && selected.get().isEmpty();
    }

    /** Whether few of the file's row groups have any of the rows. */
    public boolean isSparse() {
        return selected.isPresent() && isSparse(selected.get());
    }

    private boolean isSparse(RoaringBitmap rows) {
        int groupRows = reader.getFooter().getRowsInRowGroup().orElse(Integer.MAX_VALUE);
        long groups = 0;
        long next = 0;
        long allRows = reader.getFooter().getNumberOfRows();
        while (next < allRows) {
            long row = rows.nextValue((int) next);
            if (row < 0) {
                break;
            }
            groups++;
            next = (row / groupRows + 1) * groupRows;
        }
        return groups * groupRows * SPARSE_SHARE <= allRows;
    }

    /** The row groups that have any of the rows, beside those that statistics exclude. */
    public OrcPredicate rowGroups(OrcPredicate statistics) {
        return selected.isEmpty()
                ? statistics
                : new SelectedRowGroups(
                        statistics, selected.get(), reader, split.start(), split.length());
    }

    /** The rows that are deleted or not selected; null: there are none. */
    public @Nullable RoaringBitmap unwanted() throws IOException {
        RoaringBitmap deleted = deletedRows();
        if (selected.isEmpty()) {
            return deleted;
        }
        RoaringBitmap unwanted =
                RoaringBitmap.flip(selected.get(), 0L, reader.getFooter().getNumberOfRows());
        if (deleted != null) {
            unwanted.or(deleted);
        }
        return unwanted;
    }

    private @Nullable RoaringBitmap deletedRows() throws IOException {
        if (split.deletedRows().length == 0) {
            return null;
        }
        RoaringBitmap deleted = new RoaringBitmap();
        deleted.deserialize(new DataInputStream(new ByteArrayInputStream(split.deletedRows())));
        return deleted;
    }
}
