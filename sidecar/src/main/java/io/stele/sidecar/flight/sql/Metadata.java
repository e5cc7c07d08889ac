package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.Message;
import io.stele.engine.catalog.Catalog;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowColumnBuilder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.VarcharType;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.postgresql.sql.LikePattern;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetCatalogs;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetCrossReference;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetDbSchemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetExportedKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetImportedKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetPrimaryKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetSqlInfo;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTableTypes;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTables;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetXdbcTypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * The replies to Flight SQL's metadata commands on catalogs, schemas, tables, keys and types,
 * limited to objects that the user sees. Thread-safe.
 */
final class Metadata {
    private static final String TABLE_TYPE = "TABLE";
    private static final int BATCH_BYTES = 1 << 20;

    private final Supplier<Catalog> current;
    private final AccessControl access;
    private final String catalog;
    private final SqlInfoRows info;

    /**
     * @param access says which schemas and tables a user sees
     * @param catalog the name of the one catalog that clients see
     */
    Metadata(Supplier<Catalog> current, AccessControl access, String catalog, SqlInfoRows info) {
        this.access = requireNonNull(access, "access is null");
        this.current = requireNonNull(current, "current is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.info = requireNonNull(info, "info is null");
    }

    /** The schema of the answer to a command, as a flatbuffer; empty: it asks for no metadata. */
    static Optional<byte[]> schema(Message command) {
        return Optional.ofNullable(
                switch (command) {
                    case CommandGetCatalogs ignored -> MetadataSchema.CATALOGS;
                    case CommandGetDbSchemas ignored -> MetadataSchema.DB_SCHEMAS;
                    case CommandGetTables tables ->
                            tables.getIncludeSchema()
                                    ? MetadataSchema.TABLES_WITH_SCHEMA
                                    : MetadataSchema.TABLES;
                    case CommandGetTableTypes ignored -> MetadataSchema.TABLE_TYPES;
                    case CommandGetPrimaryKeys ignored -> MetadataSchema.PRIMARY_KEYS;
                    case CommandGetExportedKeys ignored -> MetadataSchema.FOREIGN_KEYS;
                    case CommandGetImportedKeys ignored -> MetadataSchema.FOREIGN_KEYS;
                    case CommandGetCrossReference ignored -> MetadataSchema.FOREIGN_KEYS;
                    case CommandGetXdbcTypeInfo ignored -> MetadataSchema.TYPE_INFO;
                    case CommandGetSqlInfo ignored -> MetadataSchema.SQL_INFO;
                    default -> null;
                });
    }

    /** Sends the answer to a command that has a {@link #schema}. */
    void send(Message command, AuthenticatedUser user, BatchOutput out) {
        out.schema(schema(command).orElseThrow());
        switch (command) {
            case CommandGetCatalogs ignored -> {
                Rows rows = new Rows(out, 1);
                rows.add(catalog);
                rows.end();
            }
            case CommandGetDbSchemas schemas -> sendSchemas(schemas, user, out);
            case CommandGetTables tables -> sendTables(tables, user, out);
            case CommandGetTableTypes ignored -> {
                Rows rows = new Rows(out, 1);
                rows.add(TABLE_TYPE);
                rows.end();
            }
            case CommandGetPrimaryKeys keys -> sendPrimaryKeys(keys, user, out);
            case CommandGetXdbcTypeInfo types ->
                    TypeInfoRows.rows(
                                    types.hasDataType()
                                            ? Optional.of(types.getDataType())
                                            : Optional.empty())
                            .ifPresent(out::batch);
            case CommandGetSqlInfo wanted -> out.batch(info.rows(wanted.getInfoList()));
            default -> {} // there are no foreign keys
        }
    }

    private void sendSchemas(CommandGetDbSchemas command, AuthenticatedUser user, BatchOutput out) {
        Rows rows = new Rows(out, 2);
        if (isCatalog(command.hasCatalog(), command.getCatalog())) {
            for (String schema : current.get().schemas()) {
                boolean isWanted =
                        !command.hasDbSchemaFilterPattern()
                                || matches(schema, command.getDbSchemaFilterPattern());
                if (isWanted && access.seesSchema(user, schema)) {
                    rows.add(catalog, schema);
                }
            }
        }
        rows.end();
    }

    /** Whether a filter admits the catalog; an empty name asks for what has none. */
    private boolean isCatalog(boolean isFiltered, String name) {
        return !isFiltered || name.equals(catalog);
    }

    private static boolean matches(String name, String pattern) {
        return LikePattern.of(pattern).matches(name);
    }

    private void sendTables(CommandGetTables command, AuthenticatedUser user, BatchOutput out) {
        List<Kind> types =
                command.getIncludeSchema()
                        ? List.of(Kind.TEXT, Kind.TEXT, Kind.TEXT, Kind.TEXT, Kind.BYTES)
                        : Collections.nCopies(4, Kind.TEXT);
        Rows rows = new Rows(out, types);
        boolean wantsTables =
                command.getTableTypesCount() == 0
                        || command.getTableTypesList().contains(TABLE_TYPE);
        if (wantsTables && isCatalog(command.hasCatalog(), command.getCatalog())) {
            Catalog tables = current.get();
            for (String schema : tables.schemas()) {
                if (command.hasDbSchemaFilterPattern()
                        && !matches(schema, command.getDbSchemaFilterPattern())) {
                    continue;
                }
                for (TableSchema table : tables.listTables(schema)) {
                    boolean isWanted =
                            !command.hasTableNameFilterPattern()
                                    || matches(
                                            table.tableName(), command.getTableNameFilterPattern());
                    if (!isWanted || !access.sees(user, schema, table.tableName())) {
                        continue;
                    }
                    if (command.getIncludeSchema()) {
                        rows.add(
                                catalog,
                                schema,
                                table.tableName(),
                                TABLE_TYPE,
                                ResultSchema.of(table, catalog).encapsulated());
                    } else {
                        rows.add(catalog, schema, table.tableName(), TABLE_TYPE);
                    }
                }
            }
        }
        rows.end();
    }

    private void sendPrimaryKeys(
            CommandGetPrimaryKeys command, AuthenticatedUser user, BatchOutput out) {
        Rows rows =
                new Rows(
                        out,
                        List.of(Kind.TEXT, Kind.TEXT, Kind.TEXT, Kind.TEXT, Kind.INT32, Kind.TEXT));
        if (isCatalog(command.hasCatalog(), command.getCatalog())) {
            Catalog tables = current.get();
            for (String schema :
                    command.hasDbSchema() ? List.of(command.getDbSchema()) : tables.schemas()) {
                tables.findTable(schema, command.getTable())
                        .filter(table -> access.sees(user, schema, table.tableName()))
                        .ifPresent(table -> addPrimaryKey(table, rows));
            }
        }
        rows.end();
    }

    private void addPrimaryKey(TableSchema table, Rows rows) {
        int sequence = 0;
        for (int columnId : table.primaryKey()) {
            sequence++;
            rows.add(
                    catalog,
                    table.schemaName(),
                    table.tableName(),
                    table.column(columnId).name(),
                    sequence,
                    table.tableName() + "_pkey");
        }
    }

    /** The types of the columns of the answers. */
    private enum Kind {
        TEXT(VarcharType.VARCHAR),
        BYTES(ScalarType.VARBINARY),
        INT32(ScalarType.INTEGER);

        private final DataType type;

        Kind(DataType type) {
            this.type = type;
        }
    }

    /** Rows of an answer, which are sent batch by batch. Confined to one thread. */
    private static final class Rows {
        private final BatchOutput out;
        private final ArrowBatchEncoder encoder;

        private Rows(BatchOutput out, int texts) {
            this(out, Collections.nCopies(texts, Kind.TEXT));
        }

        private Rows(BatchOutput out, List<Kind> types) {
            this.out = out;
            List<ArrowField> fields = new ArrayList<>();
            types.forEach(
                    type -> fields.add(new ArrowField(0, "column", ArrowType.of(type.type), true)));
            this.encoder = new ArrowBatchEncoder(fields);
        }

        private void add(@Nullable Object... values) {
            for (int i = 0; i < values.length; i++) {
                append(values[i], encoder.column(i));
            }
            if (encoder.sizeBytes() >= BATCH_BYTES) {
                out.batch(encoder.finish());
            }
        }

        private static void append(@Nullable Object value, ArrowColumnBuilder column) {
            switch (value) {
                case null -> column.appendNull();
                case Integer number -> column.appendLong(number);
                case byte[] bytes -> column.appendBytes(bytes, 0, bytes.length);
                default -> {
                    byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
                    column.appendBytes(bytes, 0, bytes.length);
                }
            }
        }

        private void end() {
            if (encoder.rowCount() > 0) {
                out.batch(encoder.finish());
            }
        }
    }
}
