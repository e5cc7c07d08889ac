package io.stele.benchmarks.ingest;

import io.stele.client.flight.FlightClient;
import io.stele.client.flight.FlightStream;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.VarcharType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The ingest benchmark's table in Stele, with a text key and ten text columns, created and counted
 * over Flight.
 */
public final class UserTable {
    public static final String SCHEMA = "bench";

    /** As many as cores: more only add groups to a log that all shards share. */
    private static final int SHARDS = 2;

    private UserTable() {}

    public static void createSchema(FlightClient flight) {
        flight.action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest(SCHEMA, true));
    }

    public static void create(FlightClient flight, String table, Orientation orientation) {
        List<ColumnSchema> columns = new ArrayList<>();
        columns.add(new ColumnSchema(1, "ycsb_key", VarcharType.VARCHAR).notNull());
        for (int field = 0; field < UserRows.FIELDS; field++) {
            columns.add(new ColumnSchema(2 + field, "field" + field, VarcharType.VARCHAR));
        }
        TableSchema schema =
                TableSchema.builder(SCHEMA, table)
                        .columns(columns)
                        .primaryKey(List.of(1))
                        .orientation(orientation)
                        .shardCount(SHARDS)
                        .build();
        flight.action(
                CatalogActions.CREATE_TABLE, new CreateTableRequest(schema, "", false, false));
    }

    public static void drop(FlightClient flight, String table) {
        flight.action(CatalogActions.DROP_TABLE, TableRequest.of(SCHEMA, table));
    }

    /** Scans the key column of every shard. */
    public static long count(FlightClient flight, String table) {
        TableDescription description =
                flight.action(CatalogActions.GET_TABLE, TableRequest.of(SCHEMA, table));
        TableSchema schema = description.schema();
        long rows = 0;
        for (int shard = 0; shard < schema.shardCount(); shard++) {
            rows += count(flight, schema, new ShardId(schema.tableGroup(), shard));
        }
        return rows;
    }

    private static long count(FlightClient flight, TableSchema schema, ShardId shard) {
        ScanTicket ticket =
                ScanTicket.of(schema.id(), ScanMode.SNAPSHOT, schema.primaryKey())
                        .in(shard)
                        .build();
        long rows = 0;
        try (FlightStream stream = flight.get(new Ticket(ticket.encode()))) {
            FlightData first = stream.next().orElseThrow();
            ArrowBatchDecoder decoder = ArrowBatchDecoder.forSchema(first.dataHeader());
            for (Optional<FlightData> batch = stream.next();
                    batch.isPresent();
                    batch = stream.next()) {
                FlightData data = batch.orElseThrow();
                rows += decoder.decode(data.dataHeader(), data.bodyBuffer()).rowCount();
            }
        }
        return rows;
    }
}
