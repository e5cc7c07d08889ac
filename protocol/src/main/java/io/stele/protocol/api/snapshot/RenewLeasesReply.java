package io.stele.protocol.api.snapshot;

import java.util.List;

/**
 * The reply to a renewal of leases, with the leases that could not be renewed because they have
 * ended. These are snapshots that were closed or expired, and transactions that were committed or
 * aborted. All other leases were renewed.
 */
public record RenewLeasesReply(List<String> endedSnapshots, List<String> endedTransactions) {
    public RenewLeasesReply {
        endedSnapshots = List.copyOf(endedSnapshots);
        endedTransactions = List.copyOf(endedTransactions);
    }
}
