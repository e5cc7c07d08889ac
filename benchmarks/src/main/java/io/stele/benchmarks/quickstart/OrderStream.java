package io.stele.benchmarks.quickstart;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.Latencies;
import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that streams consecutive orders, batch after batch, each acknowledged before the next.
 *
 * <p>Invariant: every order from {@code first} up to, not including, {@link #acknowledged()} is
 * durable.
 */
final class OrderStream implements AutoCloseable {
    private static final int BATCH_ROWS = 100;

    /** A stream of about 20,000 rows a second leaves the two cores to Trino. */
    private static final long PAUSE_NANOS = 5_000_000;

    private final SteleClient client;
    private final long first;
    private final Latencies latencies = new Latencies();
    private final CountDownLatch firstBatch = new CountDownLatch(1);
    private final FutureTask<Void> task;
    private volatile long acknowledged;
    private volatile boolean stopped;

    private OrderStream(SteleClient client, long first) {
        this.client = requireNonNull(client, "client is null");
        this.first = first;
        acknowledged = first;
        task =
                new FutureTask<>(
                        () -> {
                            stream();
                            return null;
                        });
    }

    static OrderStream start(SteleClient client, long first) throws InterruptedException {
        OrderStream stream = new OrderStream(client, first);
        Thread.ofPlatform().name("order-stream").daemon().start(stream.task);
        stream.firstBatch.await();
        return stream;
    }

    private void stream() throws Exception {
        try (TableWriter writer = client.writer(LiveOrders.SCHEMA, LiveOrders.TABLE)) {
            while (!stopped) {
                long next = acknowledged;
                List<Object[]> batch = new ArrayList<>(BATCH_ROWS);
                for (long orderkey = next; orderkey < next + BATCH_ROWS; orderkey++) {
                    batch.add(LiveOrders.row(orderkey));
                }
                long start = System.nanoTime();
                writer.writeBatch(batch).get();
                latencies.record(System.nanoTime() - start);
                acknowledged = next + BATCH_ROWS;
                firstBatch.countDown();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } finally {
            firstBatch.countDown();
        }
    }

    long first() {
        return first;
    }

    /** The first order that is not acknowledged as durable. */
    long acknowledged() {
        return acknowledged;
    }

    Latencies latencies() {
        return latencies;
    }

    /** Throws what ended the stream, if it has ended. */
    void checkRunning() throws Exception {
        if (task.isDone()) {
            task.get();
            throw new IllegalStateException("Expected the stream of orders to go on, but it ended");
        }
    }

    /** Ends the stream; throws what made it fail, if it failed. */
    @Override
    public void close() throws Exception {
        stopped = true;
        task.get();
    }
}
