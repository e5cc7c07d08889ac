package io.stele.client.flight;

import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.write.PutReply;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.auth.SharedSecretToken;
import io.stele.protocol.flight.ActionResult;
import io.stele.protocol.flight.ActionType;
import io.stele.protocol.flight.FlightAction;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightEndpoint;
import io.stele.protocol.flight.FlightErrors;
import io.stele.protocol.flight.FlightInfo;
import io.stele.protocol.flight.FlightMethods;
import io.stele.protocol.flight.PutResult;
import io.stele.protocol.flight.Ticket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;

/**
 * A Flight service on a loopback port: counts down streams, echoes actions, and keeps the batches
 * of puts.
 */
public final class TestingFlightService implements BindableService, AutoCloseable {
    public static final String SECRET = "the secret of the tests";

    private final Server server;
    private final List<FlightData> batches = new CopyOnWriteArrayList<>();
    private final List<Long> sequences = new CopyOnWriteArrayList<>();
    private final List<PutTarget> targets = new CopyOnWriteArrayList<>();
    private final AtomicInteger sent = new AtomicInteger();
    private final List<StreamObserver<PutResult>> heldEnds = new ArrayList<>(); // guarded by itself
    private volatile int endsTogether = 1;
    private volatile LongPredicate breaksAfter = sequence -> false;

    public TestingFlightService() throws IOException {
        this(0);
    }

    public TestingFlightService(int port) throws IOException {
        server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .maxInboundMessageSize(FlightMethods.MAX_MESSAGE_BYTES)
                        .addService(ServerInterceptors.intercept(bindService(), new Gate()))
                        .build()
                        .start();
    }

    public int port() {
        return server.getPort();
    }

    public List<FlightData> batches() {
        return batches;
    }

    public List<Long> sequences() {
        return sequences;
    }

    public List<PutTarget> targets() {
        return targets;
    }

    /** Messages of DoGet streams handed to gRPC so far. */
    int sent() {
        return sent.get();
    }

    /** Breaks the put after a batch was kept and before it is answered. */
    public void breakAfter(LongPredicate sequence) {
        breaksAfter = sequence;
    }

    /** Holds the ends of puts until this many puts have ended. */
    void endTogether(int puts) {
        endsTogether = puts;
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    @Override
    public ServerServiceDefinition bindService() {
        return ServerServiceDefinition.builder(FlightMethods.SERVICE)
                .addMethod(FlightMethods.DO_GET, ServerCalls.asyncServerStreamingCall(this::get))
                .addMethod(FlightMethods.DO_PUT, ServerCalls.asyncBidiStreamingCall(this::put))
                .addMethod(
                        FlightMethods.DO_ACTION, ServerCalls.asyncServerStreamingCall(this::action))
                .addMethod(
                        FlightMethods.GET_FLIGHT_INFO,
                        ServerCalls.asyncUnaryCall(
                                (descriptor, observer) -> {
                                    observer.onNext(
                                            new FlightInfo(
                                                    new byte[] {1},
                                                    Optional.of(descriptor),
                                                    List.of(
                                                            new FlightEndpoint(
                                                                    new Ticket(new byte[] {2}),
                                                                    List.of(
                                                                            "grpc+tcp://127.0.0.1:1"))),
                                                    -1,
                                                    7,
                                                    true,
                                                    new byte[] {3}));
                                    observer.onCompleted();
                                }))
                .addMethod(
                        FlightMethods.LIST_ACTIONS,
                        ServerCalls.asyncServerStreamingCall(
                                (empty, observer) -> {
                                    observer.onNext(new ActionType("echo", "says it again"));
                                    observer.onCompleted();
                                }))
                .build();
    }

    /** The ticket says how many messages of how many bytes to send; then, perhaps, to fail. */
    private void get(Ticket ticket, StreamObserver<FlightData> observer) {
        String[] wanted = new String(ticket.bytes(), StandardCharsets.UTF_8).split(",");
        int count = Integer.parseInt(wanted[0]);
        int size = Integer.parseInt(wanted[1]);
        ServerCallStreamObserver<FlightData> call = (ServerCallStreamObserver<FlightData>) observer;
        AtomicInteger next = new AtomicInteger();
        Runnable send =
                () -> {
                    while (call.isReady() && next.get() < count) {
                        int number = next.getAndIncrement();
                        sent.incrementAndGet();
                        ByteBuffer body = ByteBuffer.allocateDirect(size);
                        body.putInt(0, number);
                        call.onNext(FlightData.of(ByteBuffer.wrap(new byte[] {9}), List.of(body)));
                        if (next.get() == count) {
                            if (wanted.length > 2) {
                                call.onError(
                                        FlightErrors.toStatusException(
                                                new SteleException(
                                                        ErrorCode.SNAPSHOT_EXPIRED, "gone")));
                            } else {
                                call.onCompleted();
                            }
                        }
                    }
                };
        call.setOnReadyHandler(send);
        call.setOnCancelHandler(() -> next.set(count));
        send.run();
    }

    private StreamObserver<FlightData> put(StreamObserver<PutResult> observer) {
        return new StreamObserver<>() {
            private long sequence = -1;

            @Override
            public void onNext(FlightData data) {
                if (sequence < 0) {
                    PutTarget target =
                            ApiJson.read(
                                    data.descriptor().orElseThrow().command(), PutTarget.class);
                    targets.add(target);
                    sequence = target.firstSequence();
                    return;
                }
                long number = sequence++;
                if (!sequences.contains(number)) {
                    sequences.add(number);
                    batches.add(data);
                    if (breaksAfter.test(number)) {
                        observer.onError(io.grpc.Status.UNAVAILABLE.asRuntimeException());
                        return;
                    }
                }
                observer.onNext(
                        new PutResult(
                                ApiJson.write(new PutReply(new Lsn(number + 1), number, 1, 0))));
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {
                synchronized (heldEnds) {
                    heldEnds.add(observer);
                    if (heldEnds.size() >= endsTogether) {
                        heldEnds.forEach(StreamObserver::onCompleted);
                        heldEnds.clear();
                    }
                }
            }
        };
    }

    private void action(FlightAction action, StreamObserver<ActionResult> observer) {
        if (action.type().equals("fail")) {
            observer.onError(
                    FlightErrors.toStatusException(
                            new SteleException(
                                    ErrorCode.TABLE_ALREADY_EXISTS, "Table s.t is there: ä")));
            return;
        }
        List<ActionResult> results = new ArrayList<>();
        if (action.type().equals("echo")) {
            results.add(new ActionResult(action.body()));
        }
        results.forEach(observer::onNext);
        observer.onCompleted();
    }

    private static final class Gate implements ServerInterceptor {
        private final SharedSecretToken secret = new SharedSecretToken(SECRET, Clock.systemUTC());

        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            try {
                secret.verifyAuthorization(
                        Optional.ofNullable(headers.get(BearerCredentials.AUTHORIZATION)));
            } catch (SteleException e) {
                call.close(FlightErrors.status(e), FlightErrors.trailers(e));
                return new ServerCall.Listener<>() {};
            }
            return next.startCall(call, headers);
        }
    }
}
