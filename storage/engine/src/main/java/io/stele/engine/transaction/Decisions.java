package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ConditionalCreate;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The access to the decision objects of transactions in the store, which are the only record of
 * whether a two-phase transaction is committed. The first process that creates the object decides.
 * Blocks on the store; safe for use by many threads.
 */
public final class Decisions {
    private static final int ATTEMPTS = 5; // a store that fails five times in a row is down

    private final ObjectStore store;

    public Decisions(ObjectStore store) {
        this.store = requireNonNull(store, "store is null");
    }

    /**
     * Decides a transaction, unless it is decided already.
     *
     * @return the decision, which may differ from the proposal
     * @throws IOException when the decision is unknown; the proposal may still become the decision
     */
    public Decision decide(Decision proposal) throws IOException {
        String path = Decision.path(proposal.transactionId());
        if (ConditionalCreate.create(store, path, proposal.encode(), ATTEMPTS)
                == ConditionalCreate.Outcome.CREATED) {
            return proposal;
        }
        return Decision.decode(path, store.readFully(path));
    }

    Optional<Decision> find(String transactionId) throws IOException {
        String path = Decision.path(transactionId);
        try {
            return Optional.of(Decision.decode(path, store.readFully(path)));
        } catch (NoSuchFileException undecided) {
            return Optional.empty();
        }
    }

    /**
     * The decisions of transactions that create a table; mostly none or one. Damaged decisions are
     * reported to {@code damaged} and not deleted.
     */
    public List<Decision> ofTable(TableId tableId, Consumer<SteleException> damaged)
            throws IOException {
        List<Decision> decisions = new ArrayList<>();
        for (ObjectEntry entry : store.list(Decision.folder(tableId))) {
            try {
                decisions.add(Decision.decode(entry.path(), store.readFully(entry.path())));
            } catch (SteleException unreadable) {
                damaged.accept(unreadable);
            }
        }
        return decisions;
    }

    /**
     * The objects of engines before this epoch that have the outcome of transactions: decisions of
     * their transactions, and {@linkplain SavedOutcomes outcomes} that they saved.
     */
    List<String> before(long epoch) throws IOException {
        List<String> found = new ArrayList<>();
        for (ObjectEntry entry : store.list(Decision.FOLDER)) {
            String path = entry.path();
            String transactionId = path.substring(path.lastIndexOf('/') + 1);
            boolean isDecision =
                    TransactionIds.isBefore(transactionId, epoch)
                            && Decision.path(transactionId).equals(path);
            if (isDecision || SavedOutcomes.isBefore(path, epoch)) {
                found.add(path);
            }
        }
        return found;
    }

    /** Deletes an object with outcomes, when no client can request them any more. */
    void forget(String path) throws IOException {
        store.delete(path);
    }
}
