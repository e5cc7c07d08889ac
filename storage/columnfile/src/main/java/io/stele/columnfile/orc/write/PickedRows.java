package io.stele.columnfile.orc.write;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnBatches;
import io.stele.columnfile.orc.OrcLibrary;
import java.util.List;

/**
 * References to rows picked from the present batches of several column files, in the order in which
 * a compaction writes them. They are invalid as soon as one of the files moves to its next batch.
 * Confined to one thread.
 */
public final class PickedRows {
    /** The number of rows of a writer's batch. */
    public static final int MAX = OrcLibrary.BATCH_ROWS;

    final List<ColumnBatches> files;
    final int[] sources = new int[MAX]; // indexes of files
    final int[] positions = new int[MAX];
    private int count;

    public PickedRows(List<ColumnBatches> files) {
        this.files = List.copyOf(requireNonNull(files, "files is null"));
    }

    /** Adds the row at a position of a file's batch; at most {@link #MAX} until {@link #clear}. */
    public void add(int file, int position) {
        sources[count] = file;
        positions[count] = position;
        count++;
    }

    public int count() {
        return count;
    }

    public boolean isFull() {
        return count == MAX;
    }

    public void clear() {
        count = 0;
    }
}
