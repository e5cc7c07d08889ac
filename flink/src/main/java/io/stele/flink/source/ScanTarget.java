package io.stele.flink.source;

import static java.util.Objects.requireNonNull;

import io.stele.flink.option.SteleOptions;
import io.stele.flink.table.BoundTable;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.predicate.ScanPredicate;
import java.io.Serializable;
import java.time.Duration;
import java.util.OptionalLong;
import org.apache.flink.table.api.ValidationException;

/**
 * What a scan reads. Immutable, and sent to the tasks.
 *
 * @param predicateJson rows that cannot match may be left out
 * @param limit most rows of a shard; negative: all
 * @param snapshotTtl how long the snapshot lives unless it is renewed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ScanTarget(BoundTable table, byte[] predicateJson, long limit, Duration snapshotTtl)
        implements Serializable {
    /** Renewed three times as often; the upper limit is the sidecar's. */
    private static final Duration MIN_SNAPSHOT_TTL = Duration.ofSeconds(5);

    private static final Duration MAX_SNAPSHOT_TTL = Duration.ofHours(1);

    public ScanTarget {
        requireNonNull(table, "table is null");
        requireNonNull(predicateJson, "predicateJson is null");
        requireNonNull(snapshotTtl, "snapshotTtl is null");
    }

    public static ScanTarget of(
            BoundTable table, ScanPredicate predicate, OptionalLong limit, Duration snapshotTtl) {
        return new ScanTarget(table, ApiJson.write(predicate), limit.orElse(-1), snapshotTtl);
    }

    /**
     * Checks the option.
     *
     * @throws ValidationException it is not in its range
     */
    public static void checkSnapshotTtl(Duration ttl) {
        if (ttl.compareTo(MIN_SNAPSHOT_TTL) < 0 || ttl.compareTo(MAX_SNAPSHOT_TTL) > 0) {
            throw new ValidationException(
                    "Expected '%s' of %s to %s, found %s"
                            .formatted(
                                    SteleOptions.SCAN_SNAPSHOT_TTL.key(),
                                    MIN_SNAPSHOT_TTL,
                                    MAX_SNAPSHOT_TTL,
                                    ttl));
        }
    }

    ScanPredicate predicate() {
        return ApiJson.read(predicateJson, ScanPredicate.class);
    }

    OptionalLong maxRows() {
        return limit < 0 ? OptionalLong.empty() : OptionalLong.of(limit);
    }
}
