package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

/**
 * A request to abort a transaction: its rows are discarded, and its files are garbage-collected.
 */
public record AbortTransactionRequest(String transactionId) {
    public AbortTransactionRequest {
        requireNonNull(transactionId, "transactionId is null");
    }
}
