package io.stele.paimon.image;

import org.apache.paimon.io.DataFileMeta;

/** Sums over the files of a slice, a partition or a table; also differences of such sums. */
public record SliceSums(int fileCount, long rowCount, long sizeBytes) {
    static final SliceSums NONE = new SliceSums(0, 0, 0);

    SliceSums plus(DataFileMeta file) {
        return new SliceSums(
                fileCount + 1, rowCount + file.rowCount(), sizeBytes + file.fileSize());
    }

    SliceSums minus(DataFileMeta file) {
        return new SliceSums(
                fileCount - 1, rowCount - file.rowCount(), sizeBytes - file.fileSize());
    }

    SliceSums plus(SliceSums other) {
        return new SliceSums(
                fileCount + other.fileCount,
                rowCount + other.rowCount,
                sizeBytes + other.sizeBytes);
    }
}
