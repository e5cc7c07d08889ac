package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

/**
 * A request for the outcome of a transaction whose commit got no reply. The outcome is its LSN, or
 * TRANSACTION_NOT_FOUND if it is not committed and never will be. For a transaction whose commit is
 * in progress, the reply waits for the end of the commit.
 */
public record TransactionOutcomeRequest(String transactionId) {
    public TransactionOutcomeRequest {
        requireNonNull(transactionId, "transactionId is null");
    }
}
