package io.stele.protocol.api.snapshot;

import java.util.List;

/**
 * A request to renew the leases of all snapshots and open transactions that a client holds.
 *
 * @param snapshotTtlMillis new lifetime of the snapshots in milliseconds
 * @param transactionTtlMillis new lifetime of the transactions in milliseconds
 */
public record RenewLeasesRequest(
        List<String> snapshotIds,
        long snapshotTtlMillis,
        List<String> transactionIds,
        long transactionTtlMillis) {
    /** The most snapshots, and the most transactions, of a sidecar. */
    public static final int MAX_LEASES = 20_000;

    public RenewLeasesRequest {
        snapshotIds = List.copyOf(snapshotIds);
        transactionIds = List.copyOf(transactionIds);
        if (snapshotTtlMillis <= 0 || transactionTtlMillis <= 0) {
            throw new IllegalArgumentException(
                    "Expected times to live > 0, found %d and %d"
                            .formatted(snapshotTtlMillis, transactionTtlMillis));
        }
        if (snapshotIds.size() + transactionIds.size() > MAX_LEASES) {
            throw new IllegalArgumentException(
                    "Expected at most %d leases, found %d"
                            .formatted(MAX_LEASES, snapshotIds.size() + transactionIds.size()));
        }
    }
}
