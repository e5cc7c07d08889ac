package io.stele.benchmarks.indexes;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.ingest.UserTable;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.VarcharType;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A row table for the index benchmarks: a bigint key, ten bigint columns of random values, and 100
 * bytes of text. The first {@code indexes} value columns have an index each.
 *
 * @param unique whether the indexes are unique: the first column has a value of its own for each
 *     key
 */
record IndexedTable(String name, int indexes, boolean unique, int shards) {
    static final int VALUE_COLUMNS = 10;
    private static final String TEXT = "0123456789".repeat(10);

    IndexedTable {
        requireNonNull(name, "name is null");
    }

    void create(FlightClient flight) {
        List<ColumnSchema> columns = new ArrayList<>();
        columns.add(new ColumnSchema(1, "id", ScalarType.BIGINT).notNull());
        for (int column = 0; column < VALUE_COLUMNS; column++) {
            columns.add(new ColumnSchema(2 + column, "c" + column, ScalarType.BIGINT));
        }
        columns.add(new ColumnSchema(2 + VALUE_COLUMNS, "text", VarcharType.VARCHAR));
        List<IndexSchema> indexed = new ArrayList<>();
        for (int index = 0; index < indexes; index++) {
            indexed.add(
                    new IndexSchema(1 + index, "by_c" + index, List.of(2 + index), unique, true));
        }
        TableSchema schema =
                TableSchema.builder(UserTable.SCHEMA, name)
                        .columns(columns)
                        .primaryKey(List.of(1))
                        .orientation(Orientation.ROW)
                        .shardCount(shards)
                        .build()
                        .withOptions(TableOptions.NONE.withIndexes(indexed));
        flight.action(
                CatalogActions.CREATE_TABLE, new CreateTableRequest(schema, "", false, false));
    }

    /** A row of a key, with new values: only the first column is always the same. */
    static Object[] row(long id, SplittableRandom random) {
        Object[] values = new Object[2 + VALUE_COLUMNS];
        values[0] = id;
        values[1] = id * 0x9e3779b97f4a7c15L; // odd: no two keys have the same
        for (int column = 1; column < VALUE_COLUMNS; column++) {
            values[1 + column] = random.nextLong(1L << 40);
        }
        values[1 + VALUE_COLUMNS] = TEXT;
        return values;
    }

    /** Completes when all that was written is in files. */
    void flush(FlightClient flight) {
        flight.action(MaintenanceActions.FLUSH, TableRequest.of(UserTable.SCHEMA, name));
    }

    void drop(FlightClient flight) {
        UserTable.drop(flight, name);
    }

    long count(FlightClient flight) {
        return UserTable.count(flight, name);
    }
}
