package io.stele.engine.aggregate;

import java.util.Arrays;

/**
 * The selected rows of a batch sorted by group, so that a function adds up each group in one run
 * with a local sum. Rows of a group stay in their order, on which sums of floating point depend.
 * Has buffers: confined to one thread.
 */
final class RowRuns {
    /** A run of the first row of a batch, in group 0; must not be changed. */
    static final RowRuns SINGLE = single();

    private final int[] sorted = new int[VectorSource.BATCH_ROWS];
    private final int[] groups = new int[VectorSource.BATCH_ROWS];
    private final int[] ends = new int[VectorSource.BATCH_ROWS];
    private int[] places = {}; // by group: row count, then next position; 0 between calls
    private int[] rows = sorted;
    private int count;

    private static RowRuns single() {
        RowRuns runs = new RowRuns();
        runs.all(new int[] {0}, 1);
        return runs;
    }

    /** Makes one run of all rows, in group 0; refers to {@code selected}. */
    void all(int[] selected, int selectedCount) {
        rows = selected;
        groups[0] = 0;
        ends[0] = selectedCount;
        count = selectedCount == 0 ? 0 : 1;
    }

    /**
     * Sorts rows by group; the groups are in the order of their first rows.
     *
     * @param rowGroups the group of each of the selected rows
     * @param groupCount a number above every group
     */
    void split(int[] selected, int selectedCount, int[] rowGroups, int groupCount) {
        if (places.length < groupCount) {
            places = new int[Math.max(groupCount, 2 * places.length)];
        }
        count = 0;
        for (int i = 0; i < selectedCount; i++) {
            int group = rowGroups[i];
            if (places[group]++ == 0) {
                groups[count++] = group;
            }
        }
        if (count == 1) {
            places[groups[0]] = 0;
            rows = selected;
            ends[0] = selectedCount;
            return;
        }
        rows = sorted;
        int start = 0;
        for (int run = 0; run < count; run++) {
            int group = groups[run];
            int end = start + places[group];
            places[group] = start;
            ends[run] = end;
            start = end;
        }
        for (int i = 0; i < selectedCount; i++) {
            sorted[places[rowGroups[i]]++] = selected[i];
        }
        for (int run = 0; run < count; run++) {
            places[groups[run]] = 0;
        }
    }

    /** The number of groups with rows. */
    int count() {
        return count;
    }

    int group(int run) {
        return groups[run];
    }

    /**
     * The rows of all runs; a run has the positions from {@link #start} to {@link #end}, exclusive.
     */
    int[] rows() {
        return rows;
    }

    int start(int run) {
        return run == 0 ? 0 : ends[run - 1];
    }

    int end(int run) {
        return ends[run];
    }

    /** The number of rows of a run that are not null in a vector. */
    int countValues(int run, ValueVector vector) {
        int from = start(run);
        int to = end(run);
        if (!vector.hasNulls) {
            return to - from;
        }
        int values = 0;
        for (int i = from; i < to; i++) {
            values += vector.nulls[rows[i]] ? 0 : 1;
        }
        return values;
    }

    @Override
    public String toString() {
        return "groups " + Arrays.toString(Arrays.copyOf(groups, count));
    }
}
