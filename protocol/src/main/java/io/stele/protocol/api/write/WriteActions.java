package io.stele.protocol.api.write;

import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;

/** The actions on transactions. */
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

    /** The reply comes once the outcome is decided. */
    public static final Action<TransactionOutcomeRequest, CommitTransactionReply>
            TRANSACTION_OUTCOME =
                    Action.of(
                            "transaction-outcome",
                            TransactionOutcomeRequest.class,
                            CommitTransactionReply.class);

    /** Also for transactions that ended or never were. */
    public static final Action<AbortTransactionRequest, Done> ABORT_TRANSACTION =
            Action.of("abort-transaction", AbortTransactionRequest.class, Done.class);

    public static final Action<DeletePartitionsRequest, CommitTransactionReply> DELETE_PARTITIONS =
            Action.of(
                    "delete-partitions",
                    DeletePartitionsRequest.class,
                    CommitTransactionReply.class);

    private WriteActions() {}
}
