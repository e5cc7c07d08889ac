package io.stele.sidecar.flight;

import static io.stele.protocol.api.Done.DONE;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.stele.protocol.api.Actions;
import io.stele.protocol.api.write.AbortTransactionRequest;
import io.stele.protocol.api.write.BeginTransactionReply;
import io.stele.protocol.api.write.BeginTransactionRequest;
import io.stele.protocol.api.write.CommitTransactionReply;
import io.stele.protocol.api.write.CommitTransactionRequest;
import io.stele.protocol.api.write.DeletePartitionsRequest;
import io.stele.protocol.api.write.TransactionOutcomeRequest;
import io.stele.sidecar.engine.EngineService;
import java.util.Map;
import java.util.Set;

/** The actions on transactions. Thread safe. */
final class TransactionActions {
    private final EngineService engine;

    TransactionActions(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    Map<String, ActionHandler> handlers() {
        return ImmutableMap.of(
                Actions.BEGIN_TRANSACTION,
                ActionHandler.of(
                        "Begins a transaction on a table",
                        BeginTransactionRequest.class,
                        this::begin),
                Actions.COMMIT_TRANSACTION,
                ActionHandler.of(
                        "Makes staged rows and files visible at once",
                        CommitTransactionRequest.class,
                        this::commit),
                Actions.TRANSACTION_OUTCOME,
                ActionHandler.of(
                        "Says whether a transaction is committed",
                        TransactionOutcomeRequest.class,
                        this::outcome),
                Actions.ABORT_TRANSACTION,
                ActionHandler.of(
                        "Gives a transaction up", AbortTransactionRequest.class, this::abort),
                Actions.DELETE_PARTITIONS,
                ActionHandler.changing(
                        "Deletes all rows of partitions at once",
                        DeletePartitionsRequest.class,
                        this::deletePartitions));
    }

    /** The actions that may be repeated. */
    Map<String, ActionHandler> repeatable() {
        return Maps.filterKeys(
                handlers(),
                Set.of(Actions.BEGIN_TRANSACTION, Actions.COMMIT_TRANSACTION)::contains);
    }

    private Object begin(BeginTransactionRequest request) {
        String transactionId =
                engine.engine()
                        .beginTransaction(
                                request.tableId(),
                                request.readLsn(),
                                request.ttlMillis().map(ScanActions::checkedTtl));
        return new BeginTransactionReply(transactionId, "data/" + request.tableId().value());
    }

    private Object commit(CommitTransactionRequest request) {
        return new CommitTransactionReply(
                Blocking.await(
                        engine.engine()
                                .commit(
                                        request.transactionId(),
                                        request.files(),
                                        request.publishTable(),
                                        request.replaceTable(),
                                        request.parts())));
    }

    private Object outcome(TransactionOutcomeRequest request) {
        return new CommitTransactionReply(
                Blocking.await(engine.engine().transactionOutcome(request.transactionId())));
    }

    private Object deletePartitions(DeletePartitionsRequest request) {
        return new CommitTransactionReply(
                Blocking.await(
                        engine.engine()
                                .deletePartitions(
                                        request.transactionId(),
                                        request.tableId(),
                                        request.partitions())));
    }

    private Object abort(AbortTransactionRequest request) {
        Blocking.await(engine.engine().abort(request.transactionId()));
        return DONE;
    }
}
