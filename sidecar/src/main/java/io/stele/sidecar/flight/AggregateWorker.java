package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import io.stele.engine.aggregate.AggregatePart;
import io.stele.engine.aggregate.AggregatePass;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.WouldBlockException;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.YieldSignal;
import io.stele.scheduler.fragment.BatchSource;
import io.stele.scheduler.fragment.Edge;
import io.stele.scheduler.fragment.EdgeOptions;
import io.stele.scheduler.fragment.Produced;
import io.stele.sidecar.scheduling.QueryRead;
import io.stele.sidecar.scheduling.SharedResults;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The fragment that computes parts of an aggregation, one after the other, until there is none
 * left. Several parallel workers of one pass share its parts: each part, usually a file, is a work
 * unit for the next worker that is free. A worker makes no batches: its end means that it has
 * merged the results of all its parts, or that the pass was given up.
 *
 * <p>Batches are read in a pool that may wait for the store, and computed on the worker's context
 * ({@link StoreReadSteps}).
 */
final class AggregateWorker implements BatchSource<AggregateWorker.Nothing> {
    private final AggregatePass pass;
    private final Sharing sharing;
    private final StoreReadSteps trips;
    private final ReadAccount account = ReadAccount.current().orElseGet(ReadAccount::new);

    private @Nullable AggregatePart part;
    private @Nullable Boolean loadedAway; // the result of the last load in the other pool
    private SharedResults.Loan loan =
            SharedResults.Loan.NOTHING; // while it waits for another query
    private boolean announced; // the result of the part

    /** The batch type of a worker, which makes none. */
    enum Nothing {}

    /**
     * The relation of a worker's query to queries with the same results.
     *
     * @param read of the worker
     * @param parallel the number of its workers
     */
    record Sharing(SharedResults results, QueryRead read, int parallel) {}

    private AggregateWorker(AggregatePass pass, Sharing sharing, Executor storeReads) {
        this.pass = requireNonNull(pass, "pass is null");
        this.sharing = requireNonNull(sharing, "sharing is null");
        this.trips = new StoreReadSteps(storeReads, this::closePart);
    }

    /**
     * The fragment, whose reads are in the account of the present thread; one pull starts it and
     * completes at its end.
     *
     * @param context of this worker alone
     * @param storeReads runs reads that wait for the store; throws to refuse
     */
    static Edge<Nothing> open(
            ExecutionContext context, AggregatePass pass, Sharing sharing, Executor storeReads) {
        AggregateWorker worker = new AggregateWorker(pass, sharing, storeReads);
        Edge<Nothing> edge =
                new Edge<>(context.name(), context, worker, EdgeOptions.DEFAULT, nothing -> 0);
        worker.trips.returnTo(edge);
        return edge;
    }

    @Override
    public Produced<Nothing> next(YieldSignal signal) throws Exception {
        return account.call(() -> nextInAccount(signal));
    }

    private Produced<Nothing> nextInAccount(YieldSignal signal) throws Exception {
        trips.check();
        while (true) {
            if (pass.isTooLarge()) {
                closePart();
                return new Produced.End<>();
            }
            AggregatePart current = part;
            if (current == null) {
                Optional<AggregatePart> next = pass.nextPart();
                if (next.isEmpty()) {
                    return new Produced.End<>();
                }
                current = next.get();
                part = current;
            }
            Boolean loaded = loadedAway;
            loadedAway = null;
            if (loaded == null) {
                Optional<CompletableFuture<?>> other = current.waitsFor();
                share(current, other.isPresent());
                if (other.isPresent()) {
                    trips.resumeAfter(other.get());
                    return new Produced.Waiting<>();
                }
                try {
                    loaded = NonBlocking.read(current::load);
                } catch (WouldBlockException mustWait) {
                    AggregatePart away = current;
                    trips.begin(() -> loadedAway = away.load());
                    return new Produced.Waiting<>();
                }
            }
            if (loaded) {
                current.add();
            } else {
                pass.merge(current);
                part = null;
                endSharing(current);
                current.close();
            }
            if (signal.shouldYield()) {
                return new Produced.Working<>();
            }
        }
    }

    /** Lends shares to the query that computes the result, or announces that this one does. */
    private void share(AggregatePart current, boolean waits) {
        loan.close();
        loan = SharedResults.Loan.NOTHING;
        if (waits) {
            current.resultKey()
                    .ifPresent(
                            key ->
                                    loan =
                                            sharing.results()
                                                    .lend(key, sharing.read(), sharing.parallel()));
        } else if (!announced) {
            announced = true;
            current.resultKey().ifPresent(key -> sharing.results().begin(key, sharing.read()));
        }
    }

    private void endSharing(AggregatePart ended) {
        loan.close();
        loan = SharedResults.Loan.NOTHING;
        announced = false;
        ended.resultKey().ifPresent(key -> sharing.results().end(key, sharing.read()));
    }

    @Override
    public void close() {
        trips.close();
    }

    private void closePart() throws IOException {
        AggregatePart open = part;
        part = null;
        if (open != null) {
            try {
                endSharing(open);
            } finally {
                open.close();
            }
        }
    }
}
