package io.stele.flink.sink;

import io.stele.client.SteleClient;
import io.stele.flink.table.BoundTable;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.write.DeletePartitionsRequest;
import io.stele.protocol.api.write.WriteActions;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.flink.table.api.TableException;

/**
 * The deletions without a scan: of all rows of a table, or of whole partitions. The planner runs
 * them, with a client for each; they block.
 */
public final class WholeDeletions {
    private WholeDeletions() {}

    /**
     * Deletes all rows; snapshots before it remain readable.
     *
     * @throws TableException the sidecar refuses or does not answer
     */
    public static void truncate(BoundTable table) {
        TableSchema schema = table.schema();
        run(
                table,
                "truncate",
                client ->
                        client.flight()
                                .action(
                                        CatalogActions.TRUNCATE_TABLE,
                                        new TableRequest(
                                                new TableName(
                                                        schema.schemaName(), schema.tableName()),
                                                Optional.of(schema.id()))));
    }

    /**
     * Deletes all rows of certain partitions at one LSN.
     *
     * @param partitions domains of partition columns; no domain: all rows
     * @throws TableException the sidecar refuses or does not answer
     */
    public static void deletePartitions(BoundTable table, ScanPredicate partitions) {
        run(
                table,
                "delete rows of",
                client ->
                        client.flight()
                                .action(
                                        WriteActions.DELETE_PARTITIONS,
                                        new DeletePartitionsRequest(
                                                table.open(client).schema().id(),
                                                partitions,
                                                Optional.empty())));
    }

    private static void run(BoundTable table, String verb, Consumer<SteleClient> action) {
        try (SteleClient client = table.connection().open("flink-planner")) {
            action.accept(client);
        } catch (SteleException failed) {
            throw new TableException(
                    "Cannot %s table %s of Stele: %s".formatted(verb, table, failed.getMessage()),
                    failed);
        }
    }
}
