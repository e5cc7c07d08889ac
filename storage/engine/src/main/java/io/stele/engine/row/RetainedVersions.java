package io.stele.engine.row;

import static java.util.Objects.requireNonNull;

import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A cursor, for flushes and compactions, over the versions in a sorted sequence that some reader at
 * or above the retention LSN can still see. They are the newest version of each key, and every
 * older version that became obsolete above that LSN. Confined to one thread.
 */
public final class RetainedVersions {
    /** {@link #endLsn} of a version without a newer one in the sequence. */
    public static final long PRESENT = Long.MAX_VALUE;

    private final Iterator<KeyedVersion> versions;
    private final long retentionLsn;
    private final long expiredLsn;
    private @Nullable KeyedVersion current;
    private long endLsn = PRESENT;

    /**
     * @param versions by key ascending, LSN descending
     */
    public RetainedVersions(Iterator<KeyedVersion> versions, long retentionLsn) {
        this(versions, retentionLsn, 0);
    }

    /**
     * @param expiredLsn versions below have expired for every reader, including deletions, whose
     *     rows are older still
     */
    public RetainedVersions(Iterator<KeyedVersion> versions, long retentionLsn, long expiredLsn) {
        this.versions = requireNonNull(versions, "versions is null");
        this.expiredLsn = expiredLsn;
        this.retentionLsn = retentionLsn;
    }

    /** Moves to the next retained version; false at the end. */
    public boolean advance() {
        while (versions.hasNext()) {
            KeyedVersion newer = current;
            KeyedVersion next = versions.next();
            boolean sameKey = newer != null && newer.compareKey(next) == 0;
            if (sameKey && requireNonNull(newer).lsn() == next.lsn()) {
                continue; // files may each have the tombstone of one deletion of partitions
            }
            endLsn = sameKey ? requireNonNull(newer).lsn() : PRESENT;
            current = next;
            if (endLsn > retentionLsn && next.lsn() >= expiredLsn) {
                return true;
            }
        }
        return false;
    }

    public KeyedVersion version() {
        return requireNonNull(current, "no version yet");
    }

    /** The LSN from which this version is not visible any more. */
    public long endLsn() {
        return endLsn;
    }
}
