package io.stele.flink.sink;

import io.stele.client.SteleClient;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.schema.TableSchema;
import java.util.Optional;

/**
 * An invisible table at the sidecar that later replaces another table. Confined to one thread; all
 * methods wait for the sidecar.
 */
final class StagedTable {
    private final FlightClient flight;
    private final TableSchema schema;

    private StagedTable(FlightClient flight, TableSchema schema) {
        this.flight = flight;
        this.schema = schema;
    }

    /**
     * Creates an empty copy of a table.
     *
     * @throws SteleException INVALID_ARGUMENT: the table is in a named table group, which cannot
     *     contain copies
     */
    static StagedTable create(SteleClient client, TableSchema replaced) {
        FlightClient flight = client.flight();
        TableSchema created =
                flight.action(
                                CatalogActions.CREATE_TABLE,
                                new CreateTableRequest(
                                        replaced, "", true, false, Optional.of(true)))
                        .schema();
        StagedTable staged = new StagedTable(flight, created);
        if (created.tableGroup() != replaced.tableGroup()) {
            staged.drop();
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table of the default table group to overwrite, found table %s in group number %d: use TRUNCATE TABLE and INSERT"
                            .formatted(replaced.qualifiedName(), replaced.tableGroup()));
        }
        return staged;
    }

    TableSchema schema() {
        return schema;
    }

    /** Publishes it in place of the table with its name, which is dropped. */
    void publish() {
        StagedTransaction transaction = StagedTransaction.begin(flight, schema.id());
        try {
            transaction.publish(schema.id());
        } catch (SteleException failed) {
            transaction.abort(failed);
            throw failed;
        }
    }

    /** Drops it. If that fails now, the next start of the sidecar drops it. */
    void drop() {
        try {
            flight.action(
                    CatalogActions.DROP_TABLE,
                    new TableRequest(
                            new TableName(schema.schemaName(), schema.tableName()),
                            Optional.of(schema.id())));
        } catch (SteleException away) {
            // It is invisible, and does not survive a restart
        }
    }
}
