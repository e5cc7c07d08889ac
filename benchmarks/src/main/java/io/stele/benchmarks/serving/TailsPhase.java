package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Medians;
import io.stele.benchmarks.hos.FilteringScans;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.serving.Contenders.Action;
import io.stele.benchmarks.serving.KeyLoad.Keys;
import io.stele.client.flight.FlightClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The phase of the serving benchmark that measures latency tails, in an open loop at half the peak
 * rate, and of one client beside analytical scans. The peak is that of a closed loop just before.
 */
final class TailsPhase {
    private static final int SCANS = 16;

    /** More than are in flight at half of the peak, so that requests are sent when they are due. */
    private static final int CLIENTS = 64;

    private static final int FSYNCS = 200;
    private static final int FSYNC_BYTES = 4 << 10;

    private final ServingContext context;
    private final Samples samples = new Samples();

    TailsPhase(ServingContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    void run() throws Exception {
        double fsyncMillis = fsyncMillis();
        context.metrics().put("fsync of 4 KiB: p50 ms", fsyncMillis);
        try (Contenders contenders = new Contenders(context)) {
            for (int round = 0; round < context.size().rounds(); round++) {
                for (ServingStore store : contenders.stores()) {
                    for (Action action : Action.values()) {
                        halfOfPeak(store, action, round);
                    }
                }
                for (ServingStore store : contenders.stores()) {
                    if (store.name().equals(Contenders.FRAMED)
                            || store.name().equals(Contenders.JDBC_STELE)) {
                        besideScans(store, round);
                    }
                }
            }
        }
        samples.report(context.metrics());
        context.atMost(
                "gets at half of peak, open loop: p99 ms",
                1,
                context.measured(openLoopName(Action.GET, Contenders.FRAMED) + ": p99 ms"));
        context.atMost(
                "durable puts at half of peak, open loop: p99 ms (at most 5 ms or 2 fsyncs)",
                Math.max(5, 2 * fsyncMillis),
                context.measured(openLoopName(Action.UPSERT, Contenders.FRAMED) + ": p99 ms"));
        for (String store : List.of(Contenders.FRAMED, Contenders.JDBC_STELE)) {
            context.atMost(
                    "gets beside 16 scans: p99, times alone, " + store,
                    1.5,
                    context.ratio(
                            scansName(SCANS, store) + ": p99 ms",
                            scansName(0, store) + ": p99 ms"));
        }
    }

    private static String openLoopName(Action action, String store) {
        return "%s at half of peak, open loop, %s"
                .formatted(action == Action.GET ? "get" : "durable put", store);
    }

    private static String scansName(int scans, String store) {
        return "get of one client beside %d scans, %s".formatted(scans, store);
    }

    private void halfOfPeak(ServingStore store, Action action, int round) throws Exception {
        Duration duration = context.size().duration();
        long rows = context.size().rows();
        KeyLoad closed = new KeyLoad(store, ServingSize.CLIENTS, rows, Keys.UNIFORM);
        double peak = closed.closedLoop(action.operation(), duration, round).perSecond();
        KeyLoad open = new KeyLoad(store, CLIENTS, rows, Keys.UNIFORM);
        String name = openLoopName(action, store.name());
        samples.add(name + ": rate wanted, ops/s", peak / 2);
        samples.add(
                name,
                open.openLoop(
                        action.operation(), peak / 2, duration.multipliedBy(2), round + 1_000L));
    }

    private void besideScans(ServingStore store, int round) throws Exception {
        KeyLoad load = new KeyLoad(store, 1, context.size().rows(), Keys.UNIFORM);
        try (FlightClient flight = Clients.flight(context.run())) {
            for (int scans : new int[] {0, SCANS}) {
                try (FilteringScans beside =
                        FilteringScans.start(flight, ServingRows.TABLE, scans)) {
                    long before = beside.finished();
                    KeyLoad.Result result =
                            load.closedLoop(
                                    KeyLoad.GET, context.size().duration().multipliedBy(2), round);
                    samples.add(scansName(scans, store.name()), result);
                    if (scans > 0) {
                        samples.add(
                                scansName(scans, store.name()) + ": scans of a shard that ended",
                                (double) (beside.finished() - before));
                    }
                }
            }
        }
    }

    private double fsyncMillis() throws IOException {
        Path file = context.folder().resolve("fsync");
        List<Double> millis = new ArrayList<>();
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int i = 0; i < FSYNCS; i++) {
                long start = System.nanoTime();
                channel.write(ByteBuffer.allocate(FSYNC_BYTES));
                channel.force(false);
                millis.add((System.nanoTime() - start) / 1e6);
            }
        } finally {
            Files.deleteIfExists(file);
        }
        return Medians.median(millis);
    }
}
