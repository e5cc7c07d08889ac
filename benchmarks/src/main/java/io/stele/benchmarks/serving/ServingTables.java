package io.stele.benchmarks.serving;

import io.stele.benchmarks.ingest.UserRows;
import io.stele.benchmarks.ingest.UserTable;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.VarcharType;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** The tables of the benchmark, in Stele and, with the same columns, in PostgreSQL. */
final class ServingTables {
    /** Where pgbench looks for its tables. */
    static final String PGBENCH_SCHEMA = "public";

    static final String YCSB_TABLE = "usertable";

    private static final int SHARDS = 2;

    /** Rows of COPY are sent in parts of this size. */
    private static final int COPY_BYTES = 64 << 10;

    private record Column(String name, DataType type, String sqlType) {}

    /**
     * A table by its columns, of which the first is the primary key if there is one.
     *
     * @param hasKey else rows are only appended
     */
    private record Table(String schema, String name, boolean hasKey, List<Column> columns) {}

    private static final List<Table> PGBENCH =
            List.of(
                    new Table(
                            PGBENCH_SCHEMA,
                            "pgbench_accounts",
                            true,
                            List.of(integer("aid"), integer("bid"), integer("abalance"), text(84))),
                    new Table(
                            PGBENCH_SCHEMA,
                            "pgbench_branches",
                            true,
                            List.of(integer("bid"), integer("bbalance"), text(88))),
                    new Table(
                            PGBENCH_SCHEMA,
                            "pgbench_history",
                            false,
                            List.of(
                                    integer("tid"),
                                    integer("bid"),
                                    integer("aid"),
                                    integer("delta"),
                                    new Column("mtime", new TimestampType(6, false), "timestamp"),
                                    text(22))));

    private ServingTables() {}

    private static Column integer(String name) {
        return new Column(name, ScalarType.INTEGER, "int");
    }

    private static Column text(int length) {
        return new Column("filler", new CharType(length), "char(%d)".formatted(length));
    }

    private static Table servingRows() {
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("id", ScalarType.BIGINT, "bigint"));
        columns.addAll(fields());
        return new Table(UserTable.SCHEMA, ServingRows.TABLE, true, columns);
    }

    private static Table ycsb() {
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("ycsb_key", VarcharType.VARCHAR, "text"));
        columns.addAll(fields());
        return new Table(UserTable.SCHEMA, YCSB_TABLE, true, columns);
    }

    private static List<Column> fields() {
        List<Column> columns = new ArrayList<>();
        for (int field = 0; field < UserRows.FIELDS; field++) {
            columns.add(new Column("field" + field, VarcharType.VARCHAR, "text"));
        }
        return columns;
    }

    /** Makes the schemas and the table of {@link ServingRows}. */
    static void createRows(FlightClient stele, Optional<PostgresPeer> postgres)
            throws SQLException {
        UserTable.createSchema(stele);
        create(servingRows(), stele);
        if (postgres.isPresent()) {
            postgres.orElseThrow().execute("CREATE SCHEMA bench");
            postgres.orElseThrow().execute(ddl(servingRows()));
        }
    }

    /** Makes pgbench's tables, with a row for each branch. */
    static void createPgbench(
            FlightClient stele,
            PostgresAddress steleAddress,
            Optional<PostgresPeer> postgres,
            int branches)
            throws SQLException {
        stele.action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest(PGBENCH_SCHEMA, true));
        List<PostgresAddress> servers = new ArrayList<>(List.of(steleAddress));
        for (Table table : PGBENCH) {
            create(table, stele);
            if (postgres.isPresent()) {
                postgres.orElseThrow().execute(ddl(table));
            }
        }
        postgres.ifPresent(peer -> servers.add(peer.address()));
        for (PostgresAddress server : servers) {
            copy(server, "pgbench_branches", branches, bid -> "%d\t0\tbranch\n".formatted(bid));
        }
    }

    static void createYcsb(FlightClient stele) {
        create(ycsb(), stele);
    }

    static void createYcsb(PostgresPeer postgres) throws SQLException {
        postgres.execute("DROP TABLE IF EXISTS %s.%s".formatted(UserTable.SCHEMA, YCSB_TABLE));
        postgres.execute(ddl(ycsb()));
    }

    /** Everything written so far goes to files. */
    static void flush(FlightClient stele, String schema, String table) {
        stele.action(MaintenanceActions.FLUSH, TableRequest.of(schema, table));
        stele.action(MaintenanceActions.COMPACT, TableRequest.of(schema, table));
    }

    /** A line of COPY's text format for a number from 1. */
    @FunctionalInterface
    interface Lines {
        String line(long number);
    }

    /** Copies rows into a table of a server. */
    static void copy(PostgresAddress server, String table, long rows, Lines lines)
            throws SQLException {
        try (Connection connection = server.connect()) {
            CopyIn copy =
                    connection
                            .unwrap(PGConnection.class)
                            .getCopyAPI()
                            .copyIn("COPY %s FROM STDIN".formatted(table));
            try {
                StringBuilder text = new StringBuilder();
                for (long number = 1; number <= rows; number++) {
                    text.append(lines.line(number));
                    if (text.length() >= COPY_BYTES || number == rows) {
                        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
                        copy.writeToCopy(bytes, 0, bytes.length);
                        text.setLength(0);
                    }
                }
                long copied = copy.endCopy();
                if (copied != rows) {
                    throw new IllegalStateException(
                            "Expected %d rows copied, found %d".formatted(rows, copied));
                }
            } finally {
                if (copy.isActive()) {
                    copy.cancelCopy();
                }
            }
        }
    }

    private static void create(Table table, FlightClient stele) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (Column column : table.columns()) {
            columns.add(new ColumnSchema(columns.size() + 1, column.name(), column.type()));
        }
        if (table.hasKey()) {
            columns.set(0, columns.getFirst().notNull());
        }
        TableSchema schema =
                TableSchema.builder(table.schema(), table.name())
                        .columns(columns)
                        .primaryKey(table.hasKey() ? List.of(1) : List.of())
                        .orientation(table.hasKey() ? Orientation.ROW : Orientation.COLUMN)
                        .shardCount(SHARDS)
                        .build();
        stele.action(CatalogActions.CREATE_TABLE, new CreateTableRequest(schema, "", false, false));
    }

    private static String ddl(Table table) {
        String columns =
                table.columns().stream()
                        .map(column -> column.name() + " " + column.sqlType())
                        .collect(Collectors.joining(", "));
        String key =
                table.hasKey()
                        ? ", PRIMARY KEY (%s)".formatted(table.columns().getFirst().name())
                        : "";
        return "CREATE TABLE %s.%s (%s%s)".formatted(table.schema(), table.name(), columns, key);
    }
}
