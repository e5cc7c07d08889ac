package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.io.DataFileMeta;

/**
 * The place of a file among the files of its slice: by level, smallest key, first sequence number
 * and name.
 */
record EntryPosition(int level, BinaryRow minKey, long minSequenceNumber, String fileName) {
    EntryPosition {
        requireNonNull(minKey, "minKey is null");
        requireNonNull(fileName, "fileName is null");
    }

    static EntryPosition of(DataFileMeta file) {
        return new EntryPosition(
                file.level(), file.minKey(), file.minSequenceNumber(), file.fileName());
    }

    long retainedBytes() {
        return 160L + minKey.getSizeInBytes() + fileName.length();
    }
}
