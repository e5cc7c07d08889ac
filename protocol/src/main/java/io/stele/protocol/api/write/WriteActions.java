package io.stele.protocol.api.write;

import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;

/**
 * The actions that begin, commit and abort transactions, report their outcomes, and delete
 * partitions.
 */
public final class WriteActions {
    public static final Action<BeginTransactionRequest, BeginTransactionReply> BEGIN_TRANSACTION =
            Action.ofTransaction(
                    "begin-transaction",
                    BeginTransactionRequest.class,
                    BeginTransactionReply.class);

    public static final Action<CommitTransactionRequest, CommitTransactionReply>
            COMMIT_TRANSACTION =
                    Action.ofTransaction(
                            "commit-transaction",
                            CommitTransactionRequest.class,
                            CommitTransactionReply.class);

    /** Replies once the outcome is decided. */
    public static final Action<TransactionOutcomeRequest, CommitTransactionReply>
            TRANSACTION_OUTCOME =
                    Action.of(
                            "transaction-outcome",
                            TransactionOutcomeRequest.class,
                            CommitTransactionReply.class);

    /** Also succeeds for transactions that have ended or never existed. */
    public static final Action<AbortTransactionRequest, Done> ABORT_TRANSACTION =
            Action.of("abort-transaction", AbortTransactionRequest.class, Done.class);

    public static final Action<DeletePartitionsRequest, CommitTransactionReply> DELETE_PARTITIONS =
            Action.of(
                    "delete-partitions",
                    DeletePartitionsRequest.class,
                    CommitTransactionReply.class);

    private WriteActions() {}
}
