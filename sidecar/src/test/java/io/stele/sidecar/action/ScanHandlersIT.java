package io.stele.sidecar.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is opened for queries, beside a real sidecar that changes meanwhile. */
final class ScanHandlersIT {
    private static final long TTL_MILLIS = 60_000;
    private static final OpenTableRequest ORDERS =
            new OpenTableRequest(
                    TableRequest.of("shop", "orders"),
                    TTL_MILLIS,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());

    /** Its rows are not in the snapshot: a query that read it there would find none. */
    @Test
    void aTableThatGotItsNameAfterTheSnapshotIsNotReadAtIt(@TempDir Path directory) {
        try (TestingSidecar sidecar = TestingSidecar.start(directory)) {
            TableSchema schema = SampleTables.orders(Orientation.ROW);
            TableDescription first = sidecar.createTable(schema);
            ScanHandlers handlers = new ScanHandlers(sidecar.engine(), Optional.empty());
            SnapshotReply snapshot =
                    handlers.open(
                            new OpenSnapshotRequest(
                                    List.of(), Optional.empty(), TTL_MILLIS, Optional.empty()));
            TableDescription second =
                    sidecar.flight()
                            .action(
                                    CatalogActions.CREATE_TABLE,
                                    new CreateTableRequest(
                                            schema, "", false, false, Optional.of(true)));
            assertThat(second.schema().id()).isNotEqualTo(first.schema().id());
            assertThat(handlers.describe(ORDERS, snapshot)).isEmpty();
            assertThatThrownBy(() -> sidecar.engine().engine().snapshot(snapshot.snapshotId()))
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining("closed or expired");

            OpenTableReply opened = handlers.openTable(ORDERS);
            TableDescription found = opened.relation().table().orElseThrow();
            Lsn createdLsn = found.createdLsn().orElseThrow();
            assertThat(found.schema().id()).isEqualTo(second.schema().id());
            assertThat(createdLsn)
                    .isGreaterThan(snapshot.lsn())
                    .isLessThan(opened.snapshot().orElseThrow().lsn());
        }
    }
}
