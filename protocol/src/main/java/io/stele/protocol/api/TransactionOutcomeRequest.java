package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/**
 * Asks what became of a transaction whose commit has no answer: its LSN, or TRANSACTION_NOT_FOUND
 * where it is not committed and never will be. One that is being committed is waited for.
 */
public record TransactionOutcomeRequest(String transactionId) {
    public TransactionOutcomeRequest {
        requireNonNull(transactionId, "transactionId is null");
    }
}
