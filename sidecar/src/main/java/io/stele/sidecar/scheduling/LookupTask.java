package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import io.stele.engine.read.ResumableRead;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.WouldBlockException;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.WorkUnit;
import io.stele.scheduler.YieldSignal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A lookup or another short read, run asynchronously in steps on an execution context. A step that
 * must wait for the store is run in another pool.
 *
 * <p>Confined to one thread at a time: the context's, or while it waits the other pool's.
 */
final class LookupTask<T> implements WorkUnit {
    private final ResumableRead<T> lookup;
    private final ReadAdmission.Permit permit;
    private final ExecutionContext context;
    private final Executor storeReads;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    /**
     * @param permit released when the lookup ends
     * @param context of this lookup alone
     */
    LookupTask(
            ResumableRead<T> lookup,
            ReadAdmission.Permit permit,
            ExecutionContext context,
            Executor storeReads) {
        this.lookup = requireNonNull(lookup, "lookup is null");
        this.permit = requireNonNull(permit, "permit is null");
        this.context = requireNonNull(context, "context is null");
        this.storeReads = requireNonNull(storeReads, "storeReads is null");
    }

    CompletableFuture<T> result() {
        return result;
    }

    /** Queues the lookup, or its remaining steps. */
    void start() {
        context.start(this);
    }

    /**
     * Runs a step on the caller's thread; if the lookup is not completed, the caller must then call
     * {@link #start}.
     */
    void advanceHere() {
        try {
            if (NonBlocking.read(() -> lookup.step())) {
                complete();
            }
        } catch (WouldBlockException mustWait) {
            return; // nothing has changed
        } catch (Exception | Error failed) {
            fail(failed);
        }
    }

    @Override
    public boolean step(YieldSignal signal) {
        try {
            boolean done = NonBlocking.read(() -> lookup.step());
            if (done) {
                complete();
            }
            return done;
        } catch (WouldBlockException mustWait) {
            readElsewhere();
            return true;
        } catch (Exception | Error failed) {
            fail(failed);
            return true;
        }
    }

    @Override
    public void cancelled() {
        fail(new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is stopping"));
    }

    private void readElsewhere() {
        try {
            storeReads.execute(
                    () -> {
                        try {
                            if (lookup.advance()) {
                                complete();
                            } else {
                                start();
                            }
                        } catch (Exception | Error failed) {
                            fail(failed);
                        }
                    });
        } catch (RuntimeException refused) {
            fail(refused);
        }
    }

    private void complete() {
        T found = lookup.result();
        permit.close();
        result.complete(found);
    }

    private void fail(Throwable failure) {
        permit.close();
        result.completeExceptionally(failure);
    }
}
