package io.stele.sidecar.flight.call;

import static java.util.Objects.requireNonNull;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightErrors;
import io.stele.sidecar.metrics.AccessMetrics;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A gRPC server interceptor that limits the number of concurrent Flight calls. A call beyond the
 * limit is refused as BUSY instead of being queued without bound. Callers that have not
 * authenticated have places of their own. Thread-safe.
 */
public final class LimitInterceptor implements ServerInterceptor {
    private final int maxStreams;
    private final Semaphore permits;
    private final AccessMetrics metrics;

    public LimitInterceptor(int maxStreams, AccessMetrics metrics) {
        this.maxStreams = maxStreams;
        this.permits = new Semaphore(maxStreams);
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        if (AuthenticationInterceptor.LOG_IN.get() != null) {
            return next.startCall(call, headers);
        }
        if (!permits.tryAcquire()) {
            metrics.refusedAsBusy();
            SteleException busy =
                    new SteleException(
                            ErrorCode.BUSY,
                            "The sidecar serves "
                                    + maxStreams
                                    + " Flight calls already (stele.flight.max-streams); try again later");
            call.close(FlightErrors.status(busy), FlightErrors.trailers(busy));
            return new ServerCall.Listener<>() {};
        }
        metrics.flightStreamOpened();
        Permit permit = new Permit();
        ServerCall<Q, R> limited = new PermitCall<>(call, permit);
        try {
            return new PermitListener<>(next.startCall(limited, headers), permit);
        } catch (RuntimeException e) {
            permit.giveBack();
            throw e;
        }
    }

    /** Released exactly once, however the call ends. */
    private final class Permit {
        private final AtomicBoolean given = new AtomicBoolean();

        void giveBack() {
            if (given.compareAndSet(false, true)) {
                permits.release();
                metrics.flightStreamClosed();
            }
        }
    }

    /**
     * A call whose server side ends at close. Its client may still not have read what was sent
     * before, which gRPC buffers for it. That costs a bounded buffer, but no thread and no scan.
     */
    private static final class PermitCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
        private final Permit permit;

        PermitCall(ServerCall<Q, R> delegate, Permit permit) {
            super(delegate);
            this.permit = permit;
        }

        @Override
        public void close(Status status, Metadata trailers) {
            try {
                super.close(status, trailers);
            } finally {
                permit.giveBack();
            }
        }
    }

    /** gRPC calls exactly one of the two end methods for every call. */
    private static final class PermitListener<Q> extends SimpleForwardingServerCallListener<Q> {
        private final Permit permit;

        PermitListener(ServerCall.Listener<Q> delegate, Permit permit) {
            super(delegate);
            this.permit = permit;
        }

        @Override
        public void onCancel() {
            try {
                super.onCancel();
            } finally {
                permit.giveBack();
            }
        }

        @Override
        public void onComplete() {
            try {
                super.onComplete();
            } finally {
                permit.giveBack();
            }
        }
    }
}
