package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Entries of an index that some reader at or above the retention point can still need: of each key
 * those above the retention point and the newest one at or below it, each once. Confined to one
 * thread.
 */
final class IndexEntries {
    private final RetainedVersions entries;
    private @Nullable KeyedVersion current;

    /**
     * @param sorted by key ascending, LSN descending; the same entry may come several times
     * @param expiredLsn entries below are of rows that have expired for every reader
     */
    IndexEntries(Iterator<KeyedVersion> sorted, long retentionLsn, long expiredLsn) {
        this.entries = new RetainedVersions(sorted, retentionLsn, expiredLsn);
    }

    /** Moves to the next entry; false at the end. */
    boolean advance() {
        while (entries.advance()) {
            KeyedVersion before = current;
            KeyedVersion next = entries.version();
            if (before == null || before.compareTo(next) != 0) {
                current = next;
                return true;
            }
        }
        return false;
    }

    KeyedVersion entry() {
        return requireNonNull(current, "no entry yet");
    }
}
