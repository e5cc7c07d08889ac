package io.stele.engine.row;

import static java.util.Objects.requireNonNull;

import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the versions that a reader at one LSN sees in a sorted sequence of versions. Of
 * each key it returns the newest version at or below the LSN, unless that is a tombstone or has
 * expired. Confined to one thread.
 */
public final class VisibleVersions {
    private final Iterator<KeyedVersion> versions;
    private final long lsn;
    private final long fromLsn;
    private @Nullable KeyedVersion
            decided; // the newest version in time of the last key that had one

    /**
     * @param versions by key ascending, LSN descending
     */
    public VisibleVersions(Iterator<KeyedVersion> versions, long lsn) {
        this(versions, lsn, 0);
    }

    /**
     * @param versions by key ascending, LSN descending
     * @param fromLsn rows below have expired
     */
    public VisibleVersions(Iterator<KeyedVersion> versions, long lsn, long fromLsn) {
        this.versions = requireNonNull(versions, "versions is null");
        this.lsn = lsn;
        this.fromLsn = fromLsn;
    }

    /** Moves to the next visible version; false at the end. */
    public boolean advance() {
        while (hasNext()) {
            if (step()) {
                return true;
            }
        }
        return false;
    }

    /** Whether there are versions that were not read. */
    public boolean hasNext() {
        return versions.hasNext();
    }

    /** Reads the next version, of any visibility; true if it is visible. */
    public boolean step() {
        KeyedVersion version = versions.next();
        if (version.lsn() > lsn || (decided != null && decided.compareKey(version) == 0)) {
            return false;
        }
        decided = version;
        return !version.isDeleted() && version.lsn() >= fromLsn;
    }

    public KeyedVersion version() {
        return requireNonNull(decided, "no version");
    }
}
