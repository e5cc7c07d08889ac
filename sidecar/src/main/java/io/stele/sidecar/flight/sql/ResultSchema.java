package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.arrow.ArrowType;
import io.stele.protocol.flight.IpcMessages;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.ResultColumn;
import io.stele.sidecar.postgresql.type.PostgresType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The Arrow schema of a result, with the metadata of Flight SQL about its columns. Fields have no
 * ids of Stele's: rows of one table that are sent into another are matched by name. Immutable.
 *
 * @param metadata of each field
 */
record ResultSchema(List<ArrowField> fields, List<Map<String, String>> metadata) {
    private static final int MILLIS_DIGITS = 3;
    private static final String KEY = "ARROW:FLIGHT:SQL:";

    ResultSchema {
        fields = List.copyOf(fields);
        metadata = List.copyOf(metadata);
        requireNonNull(fields, "fields is null");
    }

    static final ResultSchema EMPTY = new ResultSchema(List.of(), List.of());

    /**
     * @param catalog the name that tables are shown under
     */
    static ResultSchema of(FixedPlan plan, String catalog) {
        List<ArrowField> fields = new ArrayList<>();
        List<Map<String, String>> metadata = new ArrayList<>();
        for (ResultColumn column : plan.results()) {
            Optional<ColumnSchema> source = column.column().map(plan.table().columns()::get);
            DataType type =
                    source.map(ColumnSchema::type).orElseGet(() -> ArrowTypes.of(column.type()));
            boolean isNullable = source.map(ColumnSchema::nullable).orElse(true);
            fields.add(new ArrowField(0, column.name(), ArrowType.of(type), isNullable));
            Map<String, String> more = describe(type);
            source.ifPresent(ignored -> describe(plan.table(), catalog, more));
            metadata.add(more);
        }
        return new ResultSchema(fields, metadata);
    }

    /** The schema of all columns of a table. */
    static ResultSchema of(TableSchema table, String catalog) {
        List<ArrowField> fields = new ArrayList<>();
        List<Map<String, String>> metadata = new ArrayList<>();
        for (ColumnSchema column : table.columns()) {
            fields.add(
                    new ArrowField(
                            0, column.name(), ArrowType.of(column.type()), column.nullable()));
            Map<String, String> more = describe(column.type());
            describe(table, catalog, more);
            column.comment().ifPresent(comment -> more.put(KEY + "REMARKS", comment));
            metadata.add(more);
        }
        return new ResultSchema(fields, metadata);
    }

    static ResultSchema of(List<CatalogColumn> columns) {
        List<ArrowField> fields = new ArrayList<>();
        List<Map<String, String>> metadata = new ArrayList<>();
        for (CatalogColumn column : columns) {
            DataType type = ArrowTypes.of(typeOf(column));
            fields.add(new ArrowField(0, column.name(), ArrowType.of(type), true));
            metadata.add(describe(type));
        }
        return new ResultSchema(fields, metadata);
    }

    /** The type of a column about the catalog; one without a place here is shown as text. */
    static PostgresType typeOf(CatalogColumn column) {
        return PostgresType.ofOid(column.typeOid()).orElse(PostgresType.TEXT);
    }

    /**
     * The schema of parameters, by their types in order. Times are in milliseconds, which is the
     * unit that the JDBC driver writes whatever the schema says; clients may send any other.
     */
    static ResultSchema ofParameters(List<DataType> types) {
        List<ArrowField> fields = new ArrayList<>();
        List<Map<String, String>> metadata = new ArrayList<>();
        for (DataType type : types) {
            String name = "$" + (fields.size() + 1);
            DataType told = inMillis(type);
            ArrowType arrowType = ArrowType.inMillis(told).orElseGet(() -> ArrowType.of(told));
            fields.add(new ArrowField(0, name, arrowType, true));
            metadata.add(describe(told));
        }
        return new ResultSchema(fields, metadata);
    }

    private static DataType inMillis(DataType type) {
        return switch (type) {
            case TimestampType time -> new TimestampType(MILLIS_DIGITS, time.withTimeZone());
            case TimeType ignored -> new TimeType(MILLIS_DIGITS);
            default -> type;
        };
    }

    private static Map<String, String> describe(DataType type) {
        Map<String, String> more = new LinkedHashMap<>();
        more.put(KEY + "TYPE_NAME", type.text());
        switch (type) {
            case DecimalType decimal -> {
                more.put(KEY + "PRECISION", Integer.toString(decimal.precision()));
                more.put(KEY + "SCALE", Integer.toString(decimal.scale()));
            }
            case TimeType time -> more.put(KEY + "SCALE", Integer.toString(time.precision()));
            case TimestampType time -> more.put(KEY + "SCALE", Integer.toString(time.precision()));
            default -> {}
        }
        more.put(KEY + "IS_AUTO_INCREMENT", "0");
        more.put(KEY + "IS_CASE_SENSITIVE", "1");
        more.put(KEY + "IS_SEARCHABLE", "1");
        return more;
    }

    private static void describe(TableSchema table, String catalog, Map<String, String> more) {
        more.put(KEY + "CATALOG_NAME", catalog);
        more.put(KEY + "SCHEMA_NAME", table.schemaName());
        more.put(KEY + "TABLE_NAME", table.tableName());
        more.put(KEY + "IS_READ_ONLY", "0");
    }

    /** The flatbuffer that begins a stream. */
    byte[] message() {
        return ArrowSchemas.toMessage(fields, metadata);
    }

    /** The schema as Flight's messages carry it. */
    byte[] encapsulated() {
        return IpcMessages.encapsulate(ByteBuffer.wrap(message()));
    }
}
