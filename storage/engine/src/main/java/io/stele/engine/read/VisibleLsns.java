package io.stele.engine.read;

import io.stele.engine.row.KeyedVersion;

/**
 * The LSNs of the versions that a read may see.
 *
 * @param last no version with a higher LSN is seen
 * @param first rows with a lower LSN have expired
 */
record VisibleLsns(long last, long first) {
    /** Whether a version is the row of its key, if it is the newest that may be seen. */
    boolean isRow(KeyedVersion version) {
        return !version.isDeleted() && version.lsn() >= first;
    }
}
