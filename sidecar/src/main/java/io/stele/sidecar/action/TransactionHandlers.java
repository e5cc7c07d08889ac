package io.stele.sidecar.action;

import static io.stele.protocol.api.Done.DONE;
import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.Done;
import io.stele.protocol.api.write.AbortTransactionRequest;
import io.stele.protocol.api.write.BeginTransactionReply;
import io.stele.protocol.api.write.BeginTransactionRequest;
import io.stele.protocol.api.write.CommitTransactionReply;
import io.stele.protocol.api.write.CommitTransactionRequest;
import io.stele.protocol.api.write.DeletePartitionsRequest;
import io.stele.protocol.api.write.TransactionOutcomeRequest;
import io.stele.protocol.api.write.WriteActions;
import io.stele.sidecar.engine.Blocking;
import io.stele.sidecar.engine.EngineService;
import java.util.List;

/** The handlers of the actions on transactions. Thread-safe; they wait for the engine. */
final class TransactionHandlers {
    private final EngineService engine;

    TransactionHandlers(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    List<ActionHandler> handlers() {
        return List.of(
                ActionHandler.of(
                        WriteActions.BEGIN_TRANSACTION,
                        "Begins a transaction on a table",
                        this::begin),
                ActionHandler.of(
                        WriteActions.COMMIT_TRANSACTION,
                        "Makes staged rows and files visible at once",
                        this::commit),
                ActionHandler.of(
                        WriteActions.TRANSACTION_OUTCOME,
                        "Says whether a transaction is committed",
                        this::outcome),
                ActionHandler.of(
                        WriteActions.ABORT_TRANSACTION, "Gives a transaction up", this::abort),
                ActionHandler.changing(
                        WriteActions.DELETE_PARTITIONS,
                        "Deletes all rows of partitions at once",
                        this::deletePartitions));
    }

    private BeginTransactionReply begin(BeginTransactionRequest request) {
        String transactionId =
                engine.engine()
                        .beginTransaction(
                                request.tableId(),
                                request.readLsn(),
                                request.ttlMillis().map(ScanHandlers::checkedTtl));
        return new BeginTransactionReply(transactionId, "data/" + request.tableId().value());
    }

    private CommitTransactionReply commit(CommitTransactionRequest request) {
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

    private CommitTransactionReply outcome(TransactionOutcomeRequest request) {
        return new CommitTransactionReply(
                Blocking.await(engine.engine().transactionOutcome(request.transactionId())));
    }

    private CommitTransactionReply deletePartitions(DeletePartitionsRequest request) {
        return new CommitTransactionReply(
                Blocking.await(
                        engine.engine()
                                .deletePartitions(
                                        request.transactionId(),
                                        request.tableId(),
                                        request.partitions())));
    }

    private Done abort(AbortTransactionRequest request) {
        Blocking.await(engine.engine().abort(request.transactionId()));
        return DONE;
    }
}
