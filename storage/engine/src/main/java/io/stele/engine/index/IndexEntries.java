package io.stele.engine.index;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RetainedVersions;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Entries of an index that some reader at or above the retention point can still need: of each key
 * those above the retention point and the newest one at or below it, each once. Confined to one
 * thread.
 */
public final class IndexEntries {
    private final RetainedVersions entries;
    private @Nullable KeyedVersion current;

    /**
     * @param sorted by key ascending, LSN descending; the same entry may come several times
     * @param expiredLsn entries below are of rows that have expired for every reader
     */
    public IndexEntries(Iterator<KeyedVersion> sorted, long retentionLsn, long expiredLsn) {
        this.entries = new RetainedVersions(sorted, retentionLsn, expiredLsn);
    }

    /** Moves to the next entry; false at the end. */
    public boolean advance() {
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

    public KeyedVersion entry() {
        return requireNonNull(current, "no entry yet");
    }
}
