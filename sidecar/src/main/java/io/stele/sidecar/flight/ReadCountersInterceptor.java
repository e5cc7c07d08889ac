package io.stele.sidecar.flight;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.stele.protocol.api.status.ReadCounters;
import io.stele.protocol.flight.ReadCountersTrailer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A gRPC server interceptor that puts the counters of a call's reads in the trailers with which the
 * call ends.
 */
final class ReadCountersInterceptor implements ServerInterceptor {
    private static final Context.Key<Call> CALL = Context.key("stele-read-counters");

    /** The counters that the trailers of a call will have. Thread-safe. */
    record Call(AtomicReference<@Nullable ReadCounters> counters) {
        Call() {
            this(new AtomicReference<>());
        }

        /** Sets the counters; called before the call ends. */
        void read(ReadCounters sum) {
            counters.set(sum);
        }
    }

    /** The present call; called on the call's thread. */
    static Call current() {
        Call call = CALL.get();
        return call == null ? new Call() : call;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Call present = new Call();
        ServerCall<Q, R> counting =
                new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        ReadCounters counters = present.counters().get();
                        if (counters != null) {
                            ReadCountersTrailer.put(counters, trailers);
                        }
                        super.close(status, trailers);
                    }
                };
        return Contexts.interceptCall(
                Context.current().withValue(CALL, present), counting, headers, next);
    }
}
