package io.stele.benchmarks.retrieval;

import io.stele.benchmarks.servers.Latencies;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A closed-loop load of reader threads on one client, each with a buffer of its own, which checks
 * the bytes and records latencies.
 */
final class ReadLoad {
    private final ObjectClient client;
    private final List<ByteBuffer> buffers = new ArrayList<>();

    ReadLoad(ObjectClient client, ClientKind kind, int readers, int readBytes) {
        this.client = client;
        for (int i = 0; i < readers; i++) {
            buffers.add(kind.allocate(readBytes));
        }
    }

    /** One read. */
    record Read(int object, long offset) {}

    /** Makes all reads, and checks every byte or some of them. */
    void run(List<Read> reads, boolean everyByte, Latencies latencies) throws Exception {
        AtomicInteger next = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(buffers.size())) {
            List<Future<?>> readers = new ArrayList<>();
            for (ByteBuffer buffer : buffers) {
                readers.add(
                        threads.submit(
                                () -> {
                                    for (int number;
                                            (number = next.getAndIncrement()) < reads.size(); ) {
                                        read(reads.get(number), buffer, everyByte, latencies);
                                    }
                                    return null;
                                }));
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
        }
    }

    private void read(Read read, ByteBuffer buffer, boolean everyByte, Latencies latencies)
            throws Exception {
        long start = System.nanoTime();
        client.read(StoredObjects.key(read.object()), read.offset(), buffer);
        latencies.record(System.nanoTime() - start);
        if (everyByte) {
            StoredObjects.check(read.object(), read.offset(), buffer);
        } else {
            StoredObjects.sample(read.object(), read.offset(), buffer);
        }
    }
}
