package io.stele.sidecar.flight;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.flight.ActionResult;
import io.stele.protocol.flight.FlightAction;
import io.stele.protocol.flight.FlightMethods;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.TestingSidecar;
import io.stele.sidecar.flight.call.AuthenticationInterceptor;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Results of actions hold their memory until their clients take them, and a client that takes none
 * loses its connection.
 */
@Timeout(600)
final class UntakenResultsIT {
    private static final int COLUMNS = 500;
    private static final int CALLS = 60;

    private final HttpClient http = HttpClient.newHttpClient();
    private TestingSidecar sidecar;
    private int resultBytes;

    private void start(Path directory, String timeout) {
        sidecar =
                TestingSidecar.start(
                        directory, Map.of("stele.flight.stalled-stream-timeout", timeout));
        List<ColumnSchema> columns = new ArrayList<>();
        for (int id = 1; id <= COLUMNS; id++) {
            columns.add(
                    new ColumnSchema(
                            id,
                            "column_%d_%s".formatted(id, "x".repeat(100)),
                            DataType.parse("bigint"),
                            id > 1,
                            Optional.empty()));
        }
        TableDescription wide =
                sidecar.createTable(
                        TableSchema.builder("shop", "wide")
                                .columns(columns)
                                .primaryKey(List.of(1))
                                .orientation(Orientation.ROW)
                                .build());
        resultBytes = ApiJson.write(wide.schema()).length; // at least
        assertThat(resultBytes).isGreaterThan(70_000); // more than a client takes unasked
    }

    @AfterEach
    void stop() {
        http.close();
        sidecar.close();
    }

    @Test
    void whatIsNotTakenCounts(@TempDir Path directory) throws Exception {
        start(directory, "5m");
        awaitReplyBytes(held -> held == 0);
        ManagedChannel channel = channel();
        try {
            for (int i = 0; i < CALLS; i++) {
                ask(channel);
            }
            awaitReplyBytes(held -> held >= (long) CALLS * resultBytes);
        } finally {
            channel.shutdownNow();
        }
        awaitReplyBytes(held -> held == 0);
    }

    @Test
    void whoTakesNothingLosesTheConnection(@TempDir Path directory) throws Exception {
        start(directory, "5s"); // a result is held for 5 to 10 s
        awaitReplyBytes(held -> held == 0); // the first request is slow
        ManagedChannel channel = channel();
        try {
            Asked asked = ask(channel);
            awaitReplyBytes(held -> held >= resultBytes);
            awaitReplyBytes(held -> held == 0);
            asked.call().request(1); // what has come of it, and then how it ended
            assertThat(asked.ended().get(120, TimeUnit.SECONDS).getCode())
                    .isEqualTo(Status.Code.UNAVAILABLE);
        } finally {
            channel.shutdownNow();
        }
    }

    /** The smallest window there is: the result stays with the sidecar. */
    private ManagedChannel channel() {
        return NettyChannelBuilder.forAddress("127.0.0.1", sidecar.server().flightPort())
                .usePlaintext()
                .flowControlWindow(64 << 10)
                .build();
    }

    /** Begins an action without taking its result. */
    private static Asked ask(ManagedChannel channel) {
        CompletableFuture<Status> ended = new CompletableFuture<>();
        ClientCall<FlightAction, ActionResult> call =
                channel.newCall(FlightMethods.DO_ACTION, CallOptions.DEFAULT);
        Metadata headers = new Metadata();
        headers.put(
                AuthenticationInterceptor.AUTHORIZATION,
                TestingSidecar.tokens(TestingSidecar.SECRET).bearer());
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ended.complete(status);
                    }
                },
                headers);
        call.sendMessage(
                new FlightAction(
                        CatalogActions.GET_TABLE.name(),
                        ApiJson.write(TableRequest.of("shop", "wide"))));
        call.halfClose();
        return new Asked(call, ended);
    }

    private record Asked(
            ClientCall<FlightAction, ActionResult> call, CompletableFuture<Status> ended) {}

    private void awaitReplyBytes(LongPredicate condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        long held = replyBytes();
        while (!condition.test(held)) {
            assertThat(System.nanoTime()).as("%s bytes", held).isLessThan(deadline);
            held = replyBytes();
        }
    }

    private long replyBytes() throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(sidecar.server().httpUri().resolve("/v1/status"))
                        .header(
                                "Authorization",
                                TestingSidecar.tokens(TestingSidecar.SECRET).bearer())
                        .build();
        return new ObjectMapper()
                .readTree(http.send(request, BodyHandlers.ofString()).body())
                .at("/endpoints/framedReplyBytes")
                .asLong();
    }
}
