package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.PartitionEnd;
import io.stele.protocol.predicate.RowMatcher;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The versions of an SST file with a tombstone for each row that a range tombstone deletes, as if
 * every such row had been deleted by its key at that LSN. Confined to one thread.
 */
final class EndedVersions implements Iterator<KeyedVersion> {
    private final Iterator<KeyedVersion> versions;
    private final Ends ends;
    private @Nullable KeyedVersion last; // handed out
    private @Nullable KeyedVersion ended; // comes after its tombstone

    /**
     * @param versions by key ascending, LSN descending
     * @param ends by LSN
     */
    EndedVersions(Iterator<KeyedVersion> versions, List<PartitionEnd> ends, RowLayout layout) {
        this.versions = requireNonNull(versions, "versions is null");
        this.ends = new Ends(ends, layout);
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
                        ends.after(
                                version.lsn(),
                                version.rowArray(),
                                version.rowOffset(),
                                version.rowLength());
                if (end != Ends.NONE && !endedBefore(version, end)) {
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

    /** Whether the key has a newer version that was there by then. */
    private boolean endedBefore(KeyedVersion version, long end) {
        KeyedVersion newer = last;
        return newer != null && newer.lsn() <= end && newer.compareKey(version) == 0;
    }

    /** Deletions of partitions, for rows of one layout. Confined to one thread. */
    static final class Ends {
        static final long NONE = Long.MAX_VALUE;

        private final List<PartitionEnd> ends;
        private final List<RowMatcher> matchers = new ArrayList<>();
        private final BinaryRow row;

        Ends(List<PartitionEnd> ends, RowLayout layout) {
            this.ends = requireNonNull(ends, "ends is null");
            this.row = new BinaryRow(layout);
            ends.forEach(end -> matchers.add(end.partitions().matcher(layout)));
        }

        /**
         * The LSN of the first deletion above {@code lsn} that meets a row; {@link #NONE}: none.
         */
        long after(long lsn, byte[] rowArray, int rowOffset, int rowLength) {
            row.wrap(rowArray, rowOffset, rowLength);
            for (int i = 0; i < ends.size(); i++) {
                long end = ends.get(i).lsn().value();
                if (end > lsn && matchers.get(i).matches(row)) {
                    return end;
                }
            }
            return NONE;
        }
    }
}
