package io.stele.objectstore.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.TestingThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A store whose machine has another time than S3: the first refusal corrects all requests. */
@ParameterizedClass
@EnumSource
final class S3ClockSkewIT {
    private static final List<Duration> SKEWS =
            List.of(Duration.ofHours(1), Duration.ofHours(-1), Duration.ofDays(-40), Duration.ZERO);

    @Parameter RetrievalConfig.Client client;

    private SkewedS3 server;
    private long seed;

    /** A request of each kind, with its body. */
    private enum Operation {
        PUT {
            @Override
            void run(ObjectStore store) throws IOException {
                store.put("put", bytes("put"));
                assertThat(store.readFully("put")).isEqualTo(bytes("put"));
            }
        },
        CREATE {
            @Override
            void run(ObjectStore store) throws IOException {
                String path = "create" + store.list("").size();
                assertThat(store.createIfAbsent(path, bytes("new"))).isTrue();
                assertThat(store.createIfAbsent(path, bytes("newer"))).isFalse();
            }
        },
        CREATE_FIRST {
            @Override
            void run(ObjectStore store) throws IOException {
                assertThat(store.createIfAbsent("here", bytes("other"))).isFalse();
            }
        },
        SWAP {
            @Override
            void run(ObjectStore store) throws IOException {
                assertThat(store.compareAndSwap("here", bytes("content"), bytes("content")))
                        .isTrue();
            }
        },
        WRITE {
            @Override
            void run(ObjectStore store) throws IOException {
                String path = "written" + store.list("").size();
                try (ObjectWriter writer = store.create(path)) {
                    writer.write(bytes("written"));
                    writer.commit();
                }
                assertThat(store.size(path)).isEqualTo(7);
            }
        },
        READ {
            @Override
            void run(ObjectStore store) throws IOException {
                assertThat(store.readFully("here")).isEqualTo(bytes("content"));
            }
        },
        READ_PART {
            @Override
            void run(ObjectStore store) throws IOException {
                assertThat(store.read("here", 1, 3)).isEqualTo(bytes("ont"));
            }
        },
        /** A HEAD, whose refusal has no body that would say why. */
        SIZE {
            @Override
            void run(ObjectStore store) throws IOException {
                assertThat(store.size("here")).isEqualTo(7);
            }
        },
        LIST {
            @Override
            void run(ObjectStore store) throws IOException {
                assertThat(store.list("here")).extracting(ObjectEntry::path).contains("here");
            }
        },
        DELETE {
            @Override
            void run(ObjectStore store) throws IOException {
                store.delete("gone");
            }
        };

        abstract void run(ObjectStore store) throws IOException;
    }

    @BeforeEach
    void start() throws IOException {
        server = new SkewedS3();
        try (ObjectStore store = store()) {
            store.put("here", bytes("content"));
        }
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private ObjectStore store() throws IOException {
        return S3ObjectStore.open(
                new S3Location("bucket", ""),
                GatewayConfig.of(server.port()).setMaxErrorRetries(3),
                // A second request for what is late would be refused as well
                new RetrievalConfig().setClient(client).setHedgeBudget(0),
                new Random(++seed), // others have other ids of creations
                _ -> {},
                TestingThreads.start());
    }

    @Test
    void theFirstRequestOfEachKindIsSentAgainByTheServicesClock() throws IOException {
        for (Duration skew : SKEWS) {
            server.setSkew(skew);
            for (Operation operation : Operation.values()) {
                try (ObjectStore store = store()) {
                    int before = server.refused();
                    operation.run(store);
                    assertThat(server.refused() - before)
                            .as("%s at %s", operation, skew)
                            .isEqualTo(skew.isZero() ? 0 : 1);
                }
            }
        }
    }

    /** The clock of the machine, or the service's, jumps ahead, back and right while it runs. */
    @Test
    void aJumpIsCorrectedOnceForAllKindsOfRequests() throws IOException {
        try (ObjectStore store = store()) {
            for (Operation first : Operation.values()) {
                List<Operation> all = new ArrayList<>(List.of(Operation.values()));
                all.remove(first);
                all.addFirst(first);
                Duration skew = SKEWS.get(first.ordinal() % SKEWS.size());
                server.setSkew(skew);
                int before = server.refused();
                for (Operation operation : all) {
                    operation.run(store);
                }
                assertThat(server.refused() - before)
                        .as("%s first at %s", first, skew)
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void aRefusalWithoutATimeEnds() throws IOException {
        server.setSkew(Duration.ofHours(1));
        server.stopDating();
        try (ObjectStore store = store()) {
            for (Operation operation : Operation.values()) {
                int before = server.requests();
                assertThatThrownBy(() -> operation.run(store))
                        .as(operation.name())
                        .isInstanceOf(IOException.class);
                assertThat(server.requests() - before).as(operation.name()).isBetween(1, 8);
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
