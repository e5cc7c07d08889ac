package io.stele.connector.read.prune;

import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleSample;
import io.trino.orc.OrcReader;
import io.trino.orc.metadata.StripeInformation;
import org.roaringbitmap.RoaringBitmap;

/**
 * The choice of a file's rows that a sample contains, by whole row groups, so that other row groups
 * are not read.
 */
final class SampledRowGroups {
    private SampledRowGroups() {}

    /** Ordinals of the sampled rows; in a file without row groups, a stripe counts as one. */
    static RoaringBitmap of(SteleSample sample, SteleFileSplit split, OrcReader reader) {
        RoaringBitmap rows = new RoaringBitmap();
        int groupRows = reader.getFooter().getRowsInRowGroup().orElse(Integer.MAX_VALUE);
        long firstRow = 0;
        for (StripeInformation stripe : reader.getFooter().getStripes()) {
            for (long row = 0; row < stripe.getNumberOfRows(); row += groupRows) {
                long start = firstRow + row;
                long end = firstRow + Math.min(row + groupRows, stripe.getNumberOfRows());
                if (sample.hasGroup(split.path(), start)) {
                    rows.add(start, end);
                }
            }
            firstRow += stripe.getNumberOfRows();
        }
        return rows;
    }
}
