package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

/**
 * A request for the outcome of a transaction whose commit received no reply: its LSN, or
 * TRANSACTION_NOT_FOUND if it is not committed and never will be. During a commit, the reply waits
 * for its end.
 */
public record TransactionOutcomeRequest(String transactionId) {
    public TransactionOutcomeRequest {
        requireNonNull(transactionId, "transactionId is null");
    }
}
