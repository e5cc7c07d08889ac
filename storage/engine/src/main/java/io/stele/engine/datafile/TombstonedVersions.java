package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.RangeTombstone;
import io.stele.engine.row.KeyedVersion;
import io.stele.protocol.predicate.RowMatcher;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over the versions of an SST file that inserts a tombstone before each row that a
 * range tombstone deletes. The result is as if the row had been deleted by key at that LSN.
 * Confined to one thread.
 */
final class TombstonedVersions implements Iterator<KeyedVersion> {
    private final Iterator<KeyedVersion> versions;
    private final RangeTombstones tombstones;
    private @Nullable KeyedVersion last; // returned
    private @Nullable KeyedVersion ended; // to be returned after its tombstone

    /**
     * @param versions by key ascending, LSN descending
     * @param tombstones by LSN
     */
    TombstonedVersions(
            Iterator<KeyedVersion> versions, List<RangeTombstone> tombstones, RowLayout layout) {
        this.versions = requireNonNull(versions, "versions is null");
        this.tombstones = new RangeTombstones(tombstones, layout);
    }

    @Override
    public boolean hasNext() {
        return ended != null || versions.hasNext();
    }

    @Override
    public KeyedVersion next() {
        KeyedVersion next = ended;
        if (next != null) {
            ended = null;
        } else {
            KeyedVersion version = versions.next();
            next = version;
            if (!version.isDeleted()) {
                long end =
                        tombstones.after(
                                version.lsn(),
                                version.rowArray(),
                                version.rowOffset(),
                                version.rowLength());
                if (end != RangeTombstones.NONE && !endedBefore(version, end)) {
                    ended = version;
                    next =
                            KeyedVersion.deleted(
                                    version.keyArray(),
                                    version.keyOffset(),
                                    version.keyLength(),
                                    end);
                }
            }
        }
        last = next;
        return next;
    }

    /** Whether the key has a newer version at or below {@code end}. */
    private boolean endedBefore(KeyedVersion version, long end) {
        KeyedVersion newer = last;
        return newer != null && newer.lsn() <= end && newer.compareKey(version) == 0;
    }

    /** Range tombstones prepared for rows of one layout. Confined to one thread. */
    static final class RangeTombstones {
        static final long NONE = Long.MAX_VALUE;

        private final List<RangeTombstone> tombstones;
        private final List<RowMatcher> matchers = new ArrayList<>();
        private final BinaryRow row;

        RangeTombstones(List<RangeTombstone> tombstones, RowLayout layout) {
            this.tombstones = requireNonNull(tombstones, "tombstones is null");
            this.row = new BinaryRow(layout);
            tombstones.forEach(end -> matchers.add(end.partitions().matcher(layout)));
        }

        /**
         * The LSN of the first tombstone above {@code lsn} that matches a row; {@link #NONE} if
         * there is none.
         */
        long after(long lsn, byte[] rowArray, int rowOffset, int rowLength) {
            row.wrap(rowArray, rowOffset, rowLength);
            for (int i = 0; i < tombstones.size(); i++) {
                long end = tombstones.get(i).lsn().value();
                if (end > lsn && matchers.get(i).matches(row)) {
                    return end;
                }
            }
            return NONE;
        }
    }
}
