package io.stele.sidecar.auth;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.metrics.AccessMetrics;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A bounded set of the callers of one port that have not presented the secret yet, which ends them
 * at their deadlines on threads of its own. Nothing that a caller sends extends its deadline. If
 * the set is full, a new caller ends the oldest one, because callers with the secret need their
 * place for a moment only. Thread-safe.
 */
public final class PendingLogins {
    /** For one port: each costs its buffers, and clients that come together need one each. */
    public static final int MAX_PENDING = 128;

    private final int maxPending;
    private final Duration timeout;
    private final AccessMetrics metrics;

    @GuardedBy("this")
    private final LinkedHashSet<Login> pending = new LinkedHashSet<>();

    public PendingLogins(int maxPending, Duration timeout, AccessMetrics metrics) {
        checkArgument(maxPending > 0, "maxPending must be > 0: %s", maxPending);
        this.maxPending = maxPending;
        this.timeout = requireNonNull(timeout, "timeout is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    /**
     * Takes a place until {@link Login#close}.
     *
     * @param end ends the caller with the reason; called at most once, in a thread of its own
     */
    public Login begin(Consumer<SteleException> end) {
        Login login = new Login(end);
        synchronized (this) {
            if (pending.size() == maxPending) {
                pending.removeFirst().giveWay();
            }
            pending.addLast(login);
        }
        metrics.loginBegan();
        Thread.startVirtualThread(login::watch);
        return login;
    }

    private synchronized boolean remove(Login login) {
        return pending.remove(login);
    }

    /** The place of one caller. */
    public final class Login implements AutoCloseable {
        private final Consumer<SteleException> end;
        private final CountDownLatch left = new CountDownLatch(1);
        private volatile boolean gaveWay;

        private Login(Consumer<SteleException> end) {
            this.end = requireNonNull(end, "end is null");
        }

        private void giveWay() {
            gaveWay = true;
            left.countDown();
        }

        private void watch() {
            try {
                boolean inTime = left.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
                if (gaveWay) {
                    end(
                            ErrorCode.BUSY,
                            "Expected at most %s callers that have not logged in, found more"
                                    .formatted(maxPending));
                } else if (!inTime && remove(this)) {
                    end(
                            ErrorCode.UNAUTHENTICATED,
                            "Expected the secret within %s ms (stele.login-timeout)"
                                    .formatted(timeout.toMillis()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                metrics.loginEnded();
            }
        }

        private void end(ErrorCode code, String message) {
            metrics.loginGivenUp();
            end.accept(new SteleException(code, message));
        }

        /**
         * Gives up the place, because the caller has logged in or is gone. A second call does
         * nothing.
         */
        @Override
        public void close() {
            if (remove(this)) {
                left.countDown();
            }
        }
    }
}
