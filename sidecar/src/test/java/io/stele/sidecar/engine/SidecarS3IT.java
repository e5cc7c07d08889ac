package io.stele.sidecar.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.stele.client.ClientSettings;
import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.StartupFailure;
import io.stele.sidecar.TestingSidecar;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A sidecar whose warehouse is on a real S3 server. */
final class SidecarS3IT {
    @RegisterExtension static final S3Server S3 = new S3Server();

    @Test
    void aWarehouseThatCannotBeUsedIsRefusedByName(@TempDir Path directory) {
        Map<String, String> properties = onS3("s3://no-such-bucket/stele");
        assertThatThrownBy(() -> TestingSidecar.start(directory, properties))
                .hasMessageContaining("stele.warehouse.path")
                .hasMessageContaining("Cannot create s3://no-such-bucket/stele/probe/")
                .hasMessageContaining("404");
        Map<String, String> wrongKey = onS3("s3://" + VersityGateway.BUCKET + "/wrong");
        wrongKey.put("s3.aws-secret-key", "not the secret");
        assertThatThrownBy(() -> TestingSidecar.start(directory, wrongKey))
                .hasMessageContaining("stele.warehouse.path")
                .hasMessageContaining("403");
        assertThatThrownBy(() -> TestingSidecar.start(directory, onS3("s3a://bucket/stele")))
                .hasMessageContaining("stele.warehouse.path")
                .hasMessageContaining(
                        "Expected a folder, s3://bucket/prefix or hdfs://host:port/path");
    }

    /**
     * After the restart the first rows come from S3 alone: the log is then an empty one, which the
     * sidecar refuses until it is told that the first log is lost.
     */
    @Test
    void flushedRowsAreOnS3(@TempDir Path directory) throws Exception {
        Map<String, String> properties = onS3("s3://" + VersityGateway.BUCKET + "/flushed/");
        try (TestingSidecar sidecar = TestingSidecar.start(directory, properties)) {
            sidecar.createTable(SampleTables.orders(Orientation.ROW));
            try (SteleClient client = sidecar.client();
                    TableWriter writer = client.writer("shop", "orders")) {
                for (long id = 0; id < 100; id++) {
                    writer.upsert(id, "row " + id, id / 2.0, null);
                }
                writer.flush();
            }
            sidecar.flight().action(MaintenanceActions.FLUSH, TableRequest.of("shop", "orders"));
        }
        assertThat(Files.exists(directory.resolve("warehouse"))).isFalse();
        properties.put("stele.wal.path", directory.resolve("empty-wal").toString());
        StartupFailure refused =
                assertThrows(
                        StartupFailure.class, () -> TestingSidecar.start(directory, properties));
        Matcher lost =
                Pattern.compile("Expected log ([0-9a-f]{8})")
                        .matcher(String.valueOf(refused.getMessage()));
        assertThat(lost.find()).as(refused.getMessage()).isTrue();
        properties.put("stele.wal.given-up", lost.group(1));
        try (TestingSidecar sidecar = TestingSidecar.start(directory, properties);
                SteleClient client = sidecar.client()) {
            for (long id = 0; id < 100; id++) {
                assertThat(client.table("shop", "orders").get(id)).isPresent();
            }
        }
    }

    /**
     * Two sidecars on one log: the later one has what the first acknowledged, and only it writes.
     */
    @Test
    void aLaterSidecarTakesTheLogOver(@TempDir Path directory) throws Exception {
        Map<String, String> properties = onS3("s3://" + VersityGateway.BUCKET + "/two/tables");
        properties.put("stele.wal.path", "s3://" + VersityGateway.BUCKET + "/two/wal");
        try (TestingSidecar first = TestingSidecar.start(directory.resolve("1"), properties)) {
            first.createTable(SampleTables.orders(Orientation.ROW));
            try (SteleClient client = first.client();
                    TableWriter writer = client.writer("shop", "orders")) {
                writer.upsert(1L, "of the first", 0.5, null).get();
            }
            SteleClient late =
                    first.client(
                            ClientSettings.DEFAULT
                                    .withUnavailableTimeout(Duration.ofSeconds(2))
                                    .withAnswerTimeout(Duration.ofSeconds(2)));
            // Opened now: later the first may have stopped by itself
            TableWriter lateWriter = late.writer("shop", "orders");
            try (late;
                    TestingSidecar second =
                            TestingSidecar.start(directory.resolve("2"), properties);
                    SteleClient client = second.client();
                    TableWriter writer = client.writer("shop", "orders")) {
                assertThat(client.table("shop", "orders").get(1L)).isPresent();
                assertRefused(lateWriter);
                writer.upsert(3L, "of the second", 1.5, null).get();
                assertThat(client.table("shop", "orders").get(2L)).isEmpty();
                assertThat(client.table("shop", "orders").get(3L)).isPresent();
            }
        }
        assertThat(directory.resolve("1")).doesNotExist();
    }

    private static void assertRefused(TableWriter writer) {
        CompletableFuture<Lsn> late = writer.upsert(2L, "too late", 0.5, null);
        assertThatThrownBy(late::join).isInstanceOf(CompletionException.class);
    }

    private static Map<String, String> onS3(String warehouse) {
        Map<String, String> properties = new HashMap<>(S3.gateway().properties());
        properties.put("stele.warehouse.path", warehouse);
        return properties;
    }
}
