package io.stele.flink;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.flight.BatchStream;
import io.stele.protocol.api.catalog.AlterTableRequest;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.testing.FreePorts;
import io.stele.testing.PausedProcess;
import io.stele.testing.SidecarProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A real sidecar in a process of its own, with a folder of its own. It has the same ports when it
 * is started again. Confined to one thread.
 */
public final class FlinkSidecar implements AutoCloseable {
    public static final String SECRET = "a secret of the tests of Flink";

    private final Path directory;
    private final int clientPort = FreePorts.find();
    private final int flightPort = FreePorts.find();
    private SidecarProcess process;

    private FlinkSidecar(Path directory) throws IOException {
        this.directory = directory;
        this.process = launch();
    }

    public static FlinkSidecar start(Path directory) throws IOException {
        Files.createDirectories(directory);
        FlinkSidecar sidecar = new FlinkSidecar(directory);
        sidecar.process.awaitReady();
        return sidecar;
    }

    private SidecarProcess launch() throws IOException {
        return SidecarProcess.launch(
                directory,
                Map.of(
                        "stele.warehouse.path", directory.resolve("warehouse").toString(),
                        "stele.wal.path", directory.resolve("wal").toString(),
                        "stele.shared-secret", SECRET,
                        "http-server.http.port", "0",
                        "stele.flight.port", Integer.toString(flightPort),
                        "stele.client.port", Integer.toString(clientPort)),
                "512m");
    }

    /** SIGKILL, and a new process. */
    public void restart() throws IOException {
        process.kill();
        process = launch();
        process.awaitReady();
    }

    /** SIGSTOP, until the returned one is closed. */
    public PausedProcess pause() throws IOException {
        return process.pause();
    }

    /** SIGKILL. */
    public void kill() {
        process.kill();
    }

    /** The options of a table or catalog that say where it is. */
    public String options() {
        return "'endpoints' = '127.0.0.1:%d', 'secret' = '%s'".formatted(clientPort, SECRET);
    }

    public String endpoint() {
        return "127.0.0.1:" + clientPort;
    }

    public SteleClient client() {
        return SteleClient.builder().endpoint("127.0.0.1", clientPort).secret(SECRET).build();
    }

    /** Creates a table of schema {@code shop} from names and types, in Trino's syntax. */
    public void createTable(
            String tableName, Orientation orientation, int keys, String... columns) {
        createTableInGroup("", tableName, orientation, keys, columns);
    }

    /** The same in a table group; the one without a name is the default. */
    public void createTableInGroup(
            String group, String tableName, Orientation orientation, int keys, String... columns) {
        List<ColumnSchema> created = new ArrayList<>();
        List<Integer> primaryKey = new ArrayList<>();
        for (int i = 0; i < columns.length; i++) {
            String[] parts = columns[i].split(" ", 2);
            ColumnSchema column = new ColumnSchema(i + 1, parts[0], DataType.parse(parts[1]));
            created.add(i < keys ? column.notNull() : column);
            if (i < keys) {
                primaryKey.add(i + 1);
            }
        }
        try (SteleClient client = client()) {
            client.flight()
                    .action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest("shop", true));
            client.flight()
                    .action(
                            CatalogActions.CREATE_TABLE,
                            new CreateTableRequest(
                                    TableSchema.builder("shop", tableName)
                                            .columns(created)
                                            .primaryKey(primaryKey)
                                            .orientation(orientation)
                                            .shardCount(4)
                                            .build(),
                                    group,
                                    false,
                                    false));
        }
    }

    /** Drops a table of schema {@code shop}. */
    public void dropTable(String tableName) {
        try (SteleClient client = client()) {
            client.flight().action(CatalogActions.DROP_TABLE, TableRequest.of("shop", tableName));
        }
    }

    /** Adds a column, of a name and a type in Trino's syntax, to a table of schema {@code shop}. */
    public void addColumn(String tableName, String column) {
        String[] parts = column.split(" ", 2);
        try (SteleClient client = client()) {
            TableSchema schema = client.table("shop", tableName).schema();
            client.flight()
                    .action(
                            CatalogActions.ALTER_TABLE,
                            new AlterTableRequest(
                                    schema.id(),
                                    schema.schemaVersion(),
                                    ColumnChange.addColumn(
                                            parts[0], DataType.parse(parts[1]), Optional.empty())));
        }
    }

    /** All rows of a table of a schema, read without the connector. */
    public List<List<Object>> rows(String schemaName, String tableName) {
        try (SteleClient client = client()) {
            SteleTable table = client.table(schemaName, tableName);
            List<List<Object>> rows = new ArrayList<>();
            for (int shard = 0; shard < table.schema().shardCount(); shard++) {
                read(table, shard, rows);
            }
            return rows;
        }
    }

    private static void read(SteleTable table, int shard, List<List<Object>> rows) {
        TableSchema schema = table.schema();
        List<Integer> ids = schema.columns().stream().map(ColumnSchema::id).toList();
        Ticket ticket =
                new Ticket(
                        ScanTicket.of(schema.id(), ScanMode.SNAPSHOT, ids)
                                .in(schema.shard(shard))
                                .build()
                                .encode());
        RowLayout layout = RowLayout.of(schema.columns());
        RowEncoder encoder = new RowEncoder(layout);
        try (BatchStream stream = new BatchStream(table.flight(shard).get(ticket))) {
            ArrowRows converted = new ArrowRows(stream.fields(), layout);
            for (Optional<ArrowBatch> batch = stream.next();
                    batch.isPresent();
                    batch = stream.next()) {
                for (int row = 0; row < batch.get().rowCount(); row++) {
                    int length = converted.encode(batch.get(), row, encoder);
                    rows.add(
                            Rows.toObjects(new BinaryRow(layout).wrap(encoder.array(), 0, length)));
                }
            }
        }
    }

    @Override
    public void close() {
        process.kill();
    }
}
