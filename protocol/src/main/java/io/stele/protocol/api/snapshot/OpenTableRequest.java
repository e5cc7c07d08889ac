package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.scan.CachedPlan;
import java.util.List;
import java.util.Optional;

/**
 * A request to describe a table or view and to open a snapshot of it, before a read. It takes one
 * round trip instead of two.
 *
 * @param table the table or view, by name
 * @param ttlMillis lifetime of the snapshot's lease in milliseconds, unless it is renewed
 * @param atLeast as in {@link OpenSnapshotRequest}
 * @param known the version of the caller's metadata; the reply then has the changes since this
 *     version
 * @param described whether the caller has the description as of {@code known}, so that the reply
 *     omits an unchanged description; absent: no
 * @param ended snapshots that the caller no longer needs, at most {@value #MAX_ENDED}, whose leases
 *     end as by {@link CloseSnapshotRequest}; absent: none
 * @param plans tables that the caller is likely to scan, at most {@value #MAX_PLANS}; the reply has
 *     plans for scans of them; absent: none
 */
public record OpenTableRequest(
        TableRequest table,
        long ttlMillis,
        Optional<Lsn> atLeast,
        Optional<MetadataVersion> known,
        Optional<Boolean> described,
        Optional<List<String>> ended,
        Optional<List<CachedPlan>> plans) {
    public static final int MAX_ENDED = 1_000;

    /** Few queries read more tables, and plans for all of them would be much wasted work. */
    public static final int MAX_PLANS = 16;

    public OpenTableRequest {
        requireNonNull(known, "known is null");
        requireNonNull(described, "described is null");
        requireNonNull(table, "table is null");
        requireNonNull(atLeast, "atLeast is null");
        ended = ended.map(List::copyOf);
        int count = ended.map(List::size).orElse(0);
        if (count > MAX_ENDED) {
            throw new IllegalArgumentException(
                    "Expected at most " + MAX_ENDED + " ended snapshots, found " + count);
        }
        plans = plans.map(List::copyOf);
        int planCount = plans.map(List::size).orElse(0);
        if (planCount > MAX_PLANS) {
            throw new IllegalArgumentException(
                    "Expected at most " + MAX_PLANS + " plans, found " + planCount);
        }
        if (ttlMillis <= 0) {
            throw new IllegalArgumentException("Expected ttlMillis > 0, found " + ttlMillis);
        }
    }

    /** A request of a caller that caches no metadata. */
    public OpenTableRequest(TableRequest table, long ttlMillis, Optional<Lsn> atLeast) {
        this(
                table,
                ttlMillis,
                atLeast,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
