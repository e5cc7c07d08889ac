package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.units.DataSize;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import io.stele.objectstore.s3.GatewayConfig;
import io.stele.objectstore.s3.S3Location;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of object stores, on a real S3 server, read by either client. */
@ParameterizedClass
@EnumSource
class S3ObjectStoreIT extends ObjectStoreContract {
    private static final int PART_BYTES = 5 << 20; // the least that S3 allows
    private static final AtomicInteger PREFIXES = new AtomicInteger();

    @RegisterExtension static final S3Server S3 = new S3Server();

    @Parameter RetrievalConfig.Client client;

    private ObjectStore store;

    @BeforeEach
    void open() throws IOException {
        store =
                GatewayConfig.open(
                        new S3Location(
                                VersityGateway.BUCKET, "contract/" + PREFIXES.incrementAndGet()),
                        GatewayConfig.of(S3.gateway())
                                .setStreamingPartSize(DataSize.ofBytes(PART_BYTES)),
                        client,
                        new Random(1),
                        _ -> {});
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    @Override
    ObjectStore store() {
        return store;
    }

    /** Three parts, the last of which is short. */
    @Override
    int largeObjectBytes() {
        return 2 * PART_BYTES + 12_345;
    }

    @Test
    void objectsOfWholePartsAreWhole() throws Exception {
        byte[] content = content(2 * PART_BYTES);
        try (ObjectWriter writer = store.create("x")) {
            writer.write(content, 0, PART_BYTES);
            writer.write(content, PART_BYTES, PART_BYTES);
            writer.commit();
        }
        assertThat(store.readFully("x")).isEqualTo(content);
    }

    /** A page of S3 has 1,000 objects. */
    @Test
    void listsMoreThanAPage() throws Exception {
        int count = 1_050;
        try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
            List<Future<Boolean>> created = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String path = "many/%05d".formatted(i);
                created.add(threads.submit(() -> store.createIfAbsent(path, bytes(path))));
            }
            for (Future<Boolean> future : created) {
                assertThat(future.get()).isTrue();
            }
        }
        List<ObjectEntry> entries = store.list("many/");
        assertThat(entries).hasSize(count);
        for (int i = 0; i < count; i++) {
            assertThat(entries.get(i).path()).isEqualTo("many/%05d".formatted(i));
            assertThat(entries.get(i).sizeBytes()).isEqualTo(10);
        }
    }

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        return content;
    }

    /** Ranges of all sizes, by many readers at once, from objects of one request and of several. */
    @Test
    void concurrentReadersGetTheBytesOfTheirRanges() throws Exception {
        byte[] content = content(40 << 20);
        try (ObjectWriter writer = store.create("large")) {
            writer.write(content, 0, content.length);
            writer.commit();
        }
        List<Future<?>> readers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int reader = 0; reader < 16; reader++) {
                Random random = new Random(reader);
                readers.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < 12; i++) {
                                        int length = 1 + random.nextInt(1 << (6 + 2 * (i % 10)));
                                        int offset = random.nextInt(content.length - length);
                                        byte[] found = store.read("large", offset, length);
                                        assertThat(
                                                        Arrays.equals(
                                                                found,
                                                                0,
                                                                length,
                                                                content,
                                                                offset,
                                                                offset + length))
                                                .isTrue();
                                    }
                                    return null;
                                }));
            }
            readers.add(threads.submit(() -> Arrays.equals(store.readFully("large"), content)));
            for (Future<?> reader : readers) {
                assertThat(reader.get()).isNotEqualTo(Boolean.FALSE);
            }
        }
        RetrievalStatistics statistics = store.retrieval().orElseThrow();
        assertThat(statistics.requestsInFlight()).isZero();
        assertThat(statistics.bytesInFlight()).isZero();
        assertThat(statistics.bytes()).isPositive();
        assertThat(statistics.failures()).isZero();
    }
}
