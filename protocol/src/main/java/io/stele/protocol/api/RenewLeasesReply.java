package io.stele.protocol.api;

import java.util.List;

/**
 * What could not be renewed, because it has ended: read points that were closed or expired,
 * transactions that are committed or given up. The others were.
 */
public record RenewLeasesReply(List<String> endedReadPoints, List<String> endedTransactions) {
    public RenewLeasesReply {
        endedReadPoints = List.copyOf(endedReadPoints);
        endedTransactions = List.copyOf(endedTransactions);
    }
}
