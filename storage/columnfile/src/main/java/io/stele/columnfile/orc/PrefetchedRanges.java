package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ReadTally;
import java.io.IOException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A reader of a column file, used while the file is opened, that serves prefetched ranges from
 * memory and reads other ranges on demand. Ranges are added under its lock; after all are added,
 * several threads may read.
 */
final class PrefetchedRanges implements ObjectReader {
    /**
     * 64 KiB at each end of a file: the row indexes of some dozen columns, and the footers after
     * them.
     */
    static final int END_BYTES = 64 << 10;

    private final ObjectReader reader;
    private final NavigableMap<Long, byte[]> runs = new TreeMap<>(); // by offset

    PrefetchedRanges(ObjectReader reader) {
        this.reader = requireNonNull(reader, "reader is null");
    }

    void add(long offset, byte[] bytes) {
        runs.put(offset, bytes);
    }

    /** Whether a read of this range makes no request to the store. */
    boolean has(long offset, long length) {
        Map.Entry<Long, byte[]> run = runs.floorEntry(offset);
        return run != null && offset + length <= run.getKey() + run.getValue().length;
    }

    @Override
    public void read(long offset, byte[] buffer, int bufferOffset, int length) throws IOException {
        Map.Entry<Long, byte[]> run = runs.floorEntry(offset);
        if (run != null && has(offset, length)) {
            int from = (int) (offset - run.getKey());
            System.arraycopy(run.getValue(), from, buffer, bufferOffset, length);
        } else {
            reader.read(offset, buffer, bufferOffset, length);
        }
    }

    @Override
    public ReadTally tally() {
        return reader.tally();
    }
}
