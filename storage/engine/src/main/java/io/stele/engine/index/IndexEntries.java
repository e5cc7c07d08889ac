package io.stele.engine.index;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RetainedVersions;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over sorted index entries, for flushes, compactions and backfills, that skips duplicates
 * and entries that no reader needs any more. Of each key it returns the entries above the retention
 * LSN and the newest entry at or below it. Confined to one thread.
 */
public final class IndexEntries {
    private final RetainedVersions entries;
    private @Nullable KeyedVersion current;

    /**
     * @param sorted entries by key ascending, LSN descending; an entry may occur several times
     * @param expiredLsn entries with a lower LSN are of rows that have expired for every reader
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
