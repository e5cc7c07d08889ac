package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.arrow.ArrowBatch;
import io.stele.sidecar.postgresql.run.Client;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A DoPut of Flight SQL that ingests batches into a table, one after the other, asynchronously on
 * an executor.
 *
 * <p>Invariant: the target is used by one task at a time, and closed after the last one.
 */
final class IngestPut implements SqlPut {
    private final RowTarget target;
    private final Client client;
    private final Executor executor;
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
    private long rowCount;
    private boolean isClosed;

    IngestPut(RowTarget target, Client client, Executor executor) {
        this.target = requireNonNull(target, "target is null");
        this.client = requireNonNull(client, "client is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    @Override
    public synchronized CompletableFuture<Void> add(ArrowBatch batch) {
        last =
                last.thenRunAsync(
                        () ->
                                Tasks.unchecked(
                                        () -> {
                                            client.cancellation().check();
                                            target.add(batch);
                                            rowCount += batch.rowCount();
                                            return batch;
                                        }),
                        executor);
        return last;
    }

    @Override
    public boolean takesNoBatches() {
        return false;
    }

    @Override
    public boolean keepsBatches() {
        return false;
    }

    @Override
    public synchronized CompletableFuture<byte[]> finish() {
        CompletableFuture<byte[]> committed =
                last.thenApplyAsync(
                        nothing -> {
                            client.cancellation().check();
                            target.commit();
                            return FlightSqlService.updated(rowCount);
                        },
                        executor);
        last = committed.thenApply(result -> null);
        return committed;
    }

    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            client.cancellation().request();
            var unused =
                    last.handleAsync(
                            (nothing, failure) -> {
                                target.close();
                                return nothing;
                            },
                            executor);
        }
    }
}
