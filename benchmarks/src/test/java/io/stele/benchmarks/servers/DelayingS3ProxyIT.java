package io.stele.benchmarks.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.S3Server;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an S3 store does through the proxy is what it does without. */
class DelayingS3ProxyIT {
    private static final int LARGE_BYTES = 20_000_000; // two parts

    /** Quick, so that only their order matters here. */
    private static final InjectedDelays DELAYS =
            new InjectedDelays(1_000_000, 1_000_000, 0.2, 0.1, 10, 1);

    @RegisterExtension static final S3Server S3 = new S3Server();

    @Test
    void passesEverythingOn() throws Exception {
        try (DelayingS3Proxy proxy = DelayingS3Proxy.start(S3.gateway().port(), DELAYS);
                ObjectStore store =
                        S3Servers.store(
                                proxy.port(), "p", new RetrievalConfig().setHedgeBudget(0))) {
            byte[] content = new byte[LARGE_BYTES];
            new Random(2).nextBytes(content);
            try (ObjectWriter writer = store.create("large")) {
                writer.write(content);
                writer.commit();
            }
            assertThat(store.createIfAbsent("small", new byte[] {1, 2, 3})).isTrue();
            assertThat(store.createIfAbsent("small", new byte[] {4})).isFalse();
            assertThat(store.list("")).hasSize(2);
            assertThat(store.readFully("small")).containsExactly(1, 2, 3);
            assertThatThrownBy(() -> store.readFully("none"))
                    .isInstanceOf(NoSuchFileException.class);
            proxy.newRound(DELAYS);
            readConcurrently(store, content);
            assertThat(proxy.reads()).isEqualTo(32);
            assertThat(proxy.sentBytes()).isEqualTo(32 * 500_000L);
            store.delete("small");
            assertThat(store.list("s")).isEmpty();
        }
    }

    private static void readConcurrently(ObjectStore store, byte[] content) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<byte[]>> reads = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                int offset = i * 600_000;
                reads.add(threads.submit(() -> store.read("large", offset, 500_000)));
            }
            for (int i = 0; i < reads.size(); i++) {
                int offset = i * 600_000;
                assertThat(reads.get(i).get())
                        .isEqualTo(Arrays.copyOfRange(content, offset, offset + 500_000));
            }
        }
    }
}
