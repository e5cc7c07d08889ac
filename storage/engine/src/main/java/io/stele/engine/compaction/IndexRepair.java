package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.index.IndexKeys;
import io.stele.engine.row.KeyedVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A search, during the compaction of a secondary index, for entries that no reader needs any more,
 * by key lookups in the table. Such an entry is at or below the retention LSN, and at that LSN its
 * row has another version, no version, or has expired.
 *
 * <p>Every version of a row has its own entry with the LSN of the version. So an entry at or below
 * the retention LSN is needed only if it has the LSN of the version that a reader there sees. Later
 * versions have later entries, which are retained without a check. The rows themselves are not read
 * for this (Luo and Carey 2019, section 4.4: repair by primary key and timestamp).
 *
 * <p>A batch is looked up in the order of the primary keys, so that each block of the table's files
 * is read once. Where few rows change, a full check would find nothing. So a sample of the batch is
 * checked first, and the rest only if enough of the sample is stale. Confined to one thread.
 */
final class IndexRepair {
    /** One entry of this many is always checked. */
    static final int SAMPLE = 64;

    /** The whole batch is checked if more than one of this many of the sample is stale. */
    private static final int WORTH_IT = 16;

    private final IndexKeys keys;
    private final VersionLookup versions;
    private final long retentionLsn;
    private final long expiredLsn;
    private final boolean thorough;
    private long checked;
    private long stale;

    /**
     * @param expiredLsn rows with a lower LSN are not visible to any reader
     * @param thorough whether to check all entries
     */
    IndexRepair(
            IndexKeys keys,
            VersionLookup versions,
            long retentionLsn,
            long expiredLsn,
            boolean thorough) {
        this.keys = requireNonNull(keys, "keys is null");
        this.versions = requireNonNull(versions, "versions is null");
        this.retentionLsn = retentionLsn;
        this.expiredLsn = expiredLsn;
        this.thorough = thorough;
    }

    /** By position in the batch, whether an entry can be dropped. */
    boolean[] findStale(List<KeyedVersion> batch) throws IOException {
        boolean[] found = new boolean[batch.size()];
        List<Candidate> sample = new ArrayList<>();
        List<Candidate> rest = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            if (batch.get(i).lsn() <= retentionLsn) {
                Candidate candidate =
                        new Candidate(i, batch.get(i).lsn(), keys.primaryKey(batch.get(i)));
                boolean inSample = Arrays.hashCode(candidate.primaryKey) % SAMPLE == 0;
                (thorough || inSample ? sample : rest).add(candidate);
            }
        }
        long staleInSample = check(sample, found);
        if (staleInSample * WORTH_IT > sample.size()) {
            check(rest, found);
        }
        return found;
    }

    /** The number of entries that were looked up. */
    long checked() {
        return checked;
    }

    /** The number of looked-up entries that can be dropped. */
    long stale() {
        return stale;
    }

    private long check(List<Candidate> candidates, boolean[] found) throws IOException {
        candidates.sort(Candidate.BY_KEY);
        long staleBefore = stale;
        for (Candidate candidate : candidates) {
            checked++;
            if (candidate.lsn < expiredLsn
                    || versions.find(candidate.primaryKey, retentionLsn) != candidate.lsn) {
                found[candidate.position] = true;
                stale++;
            }
        }
        return stale - staleBefore;
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
    private record Candidate(int position, long lsn, byte[] primaryKey) {
        private static final Comparator<Candidate> BY_KEY =
                (one, other) -> Arrays.compareUnsigned(one.primaryKey, other.primaryKey);
    }
}
