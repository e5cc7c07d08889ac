package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * What a reader at one LSN sees of a sorted sequence of versions: of each key the newest version at
 * or below the LSN, unless that is a tombstone. Confined to one thread.
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
        while (versions.hasNext()) {
            KeyedVersion version = versions.next();
            if (version.lsn() > lsn || (decided != null && decided.compareKey(version) == 0)) {
                continue;
            }
            decided = version;
            if (!version.isDeleted() && version.lsn() >= fromLsn) {
                return true;
            }
        }
        return false;
    }

    public KeyedVersion version() {
        return requireNonNull(decided, "no version");
    }
}
