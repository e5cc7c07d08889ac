package io.stele.protocol.api;

import java.util.List;

/**
 * The reply to a renewal of leases: those that could not be renewed because they have ended. These
 * are snapshots that were closed or expired, and transactions that were committed or aborted. All
 * other leases were renewed.
 */
public record RenewLeasesReply(List<String> endedReadPoints, List<String> endedTransactions) {
    public RenewLeasesReply {
        endedReadPoints = List.copyOf(endedReadPoints);
        endedTransactions = List.copyOf(endedTransactions);
    }
}
