package io.stele.sidecar.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.api.status.DataCacheReply;
import io.stele.protocol.api.status.DataCacheTable;
import io.stele.protocol.api.status.StatusActions;
import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.testing.SidecarProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The data page cache of a sidecar: what a flush writes is in it, also after SIGKILL. */
final class DataCacheKillIT {
    private static final int ROWS = 3_000;

    private @Nullable SidecarProcess process;

    @AfterEach
    void end() {
        if (process != null) {
            process.kill();
        }
    }

    @Test
    void whatWasFlushedIsInTheCacheOfTheNextProcess(@TempDir Path directory) throws Exception {
        Map<String, String> properties = TestingSidecar.properties(directory);
        properties.put("stele.cache.enabled", "true");
        properties.put("stele.cache.directories", directory.resolve("pages").toString());
        properties.put("stele.cache.max-sizes", "32MB");
        SidecarProcess first = SidecarProcess.launch(directory, properties);
        process = first;
        SidecarProcess.Ports ports = first.awaitReady();
        write(ports);
        DataCacheReply flushed = dataCache(ports);
        // All of this was opened after it was written, and found
        assertThat(orders(flushed).requests()).isZero();
        assertThat(orders(flushed).requestsSaved()).isPositive();
        assertThat(flushed.space().orElseThrow().pages()).isPositive();

        Path elsewhere = Files.createDirectory(directory.resolve("second"));
        Map<String, String> second = TestingSidecar.properties(elsewhere);
        second.put("stele.cache.enabled", "true");
        second.put("stele.cache.directories", properties.get("stele.cache.directories"));
        second.put("stele.cache.max-sizes", "32MB");
        SidecarProcess refused = SidecarProcess.launch(elsewhere, second);
        assertThat(refused.awaitEnd()).isNotZero();
        assertThat(refused.output())
                .contains("stele.cache.directories: expected a directory")
                .contains("found it in use");

        first.kill();
        SidecarProcess again = SidecarProcess.launch(directory, properties);
        process = again;
        ports = again.awaitReady();
        try (SteleClient client = client(ports)) {
            for (long id = 0; id < ROWS; id += 7) {
                assertThat(client.table("shop", "orders").get(id)).isPresent();
            }
        }
        DataCacheTable afterwards = orders(dataCache(ports));
        assertThat(afterwards.requests()).isZero();
        assertThat(afterwards.pageHits()).isPositive();
    }

    private static void write(SidecarProcess.Ports ports) throws Exception {
        try (FlightClient flight = flight(ports)) {
            flight.action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest("shop", false));
            flight.action(
                    CatalogActions.CREATE_TABLE,
                    new CreateTableRequest(SampleTables.orders(Orientation.ROW), "", false, false));
        }
        try (SteleClient client = client(ports);
                TableWriter writer = client.writer("shop", "orders")) {
            for (long id = 0; id < ROWS; id++) {
                writer.upsert(id, "row " + id, id / 2.0, null);
            }
            writer.flush();
        }
        try (FlightClient flight = flight(ports)) {
            flight.action(MaintenanceActions.FLUSH, TableRequest.of("shop", "orders"));
        }
    }

    private static DataCacheReply dataCache(SidecarProcess.Ports ports) {
        try (FlightClient flight = flight(ports)) {
            return flight.action(StatusActions.DATA_CACHE, Done.DONE);
        }
    }

    private static DataCacheTable orders(DataCacheReply reply) {
        return reply.tables().stream()
                .filter(table -> table.table().equals("shop.orders"))
                .findFirst()
                .orElseThrow();
    }

    private static FlightClient flight(SidecarProcess.Ports ports) {
        return new FlightClient(
                "127.0.0.1",
                ports.flight(),
                Optional.empty(),
                TestingSidecar.tokens(TestingSidecar.SECRET));
    }

    private static SteleClient client(SidecarProcess.Ports ports) {
        return SteleClient.builder()
                .endpoint("127.0.0.1", ports.client())
                .secret(TestingSidecar.SECRET)
                .build();
    }
}
