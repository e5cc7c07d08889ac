package io.stele.engine.aggregate;

import java.util.List;

/** One batch of given columns; the reader sees all rows but some. */
final class FixedVectors implements VectorSource {
    private final int size;
    private final int hiddenEvery;
    private final List<ValueVector> columns;

    /**
     * @param hiddenEvery of so many rows one is not seen; 0: all are seen
     */
    FixedVectors(int size, int hiddenEvery, List<ValueVector> columns) {
        this.size = size;
        this.hiddenEvery = hiddenEvery;
        this.columns = columns;
    }

    @Override
    public boolean load() {
        return false;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public ValueVector column(int slot) {
        return columns.get(slot);
    }

    @Override
    public int select(int[] rows) {
        int count = 0;
        for (int row = 0; row < size; row++) {
            if (hiddenEvery == 0 || row % hiddenEvery != 0) {
                rows[count++] = row;
            }
        }
        return count;
    }

    @Override
    public void close() {}
}
