package io.stele.connector.metadata.procedure;

import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.invoke.MethodHandles.lookup;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import com.google.inject.Provider;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.catalog.DefaultLiterals;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TimestampType;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.procedure.Procedure.Argument;
import io.trino.spi.type.ArrayType;
import java.lang.invoke.MethodHandle;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The procedure {@code CALL system.drop_partition(schema_name, table_name, partition_columns,
 * partition_values)}, which deletes all rows with these values of partition columns, for all values
 * of the other columns.
 */
public final class DropPartitionProcedure implements Provider<Procedure> {
    private static final MethodHandle DROP_PARTITION;

    static {
        try {
            DROP_PARTITION =
                    lookup().unreflect(
                                    DropPartitionProcedure.class.getMethod(
                                            "dropPartition",
                                            ConnectorSession.class,
                                            String.class,
                                            String.class,
                                            List.class,
                                            List.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CatalogRequests catalog;

    @Inject
    public DropPartitionProcedure(CatalogRequests catalog) {
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    @Override
    public Procedure get() {
        return new Procedure(
                "system",
                "drop_partition",
                ImmutableList.of(
                        new Argument("SCHEMA_NAME", VARCHAR),
                        new Argument("TABLE_NAME", VARCHAR),
                        new Argument("PARTITION_COLUMNS", new ArrayType(VARCHAR)),
                        new Argument("PARTITION_VALUES", new ArrayType(VARCHAR))),
                DROP_PARTITION.bindTo(this));
    }

    /** Called by Trino. */
    public void dropPartition(
            ConnectorSession session,
            String schemaName,
            String tableName,
            List<String> partitionColumns,
            List<@Nullable String> partitionValues) {
        if (partitionColumns.isEmpty() || partitionColumns.size() != partitionValues.size()) {
            throw invalid(
                    "as many partition_values as partition_columns, at least one",
                    partitionColumns.size() + " columns and " + partitionValues.size() + " values");
        }
        SchemaTableName name = new SchemaTableName(schemaName, tableName);
        TableSchema table =
                catalog.findTable(name)
                        .orElseThrow(
                                () ->
                                        new TrinoException(
                                                TABLE_NOT_FOUND,
                                                "Expected a table, found none named '%s'"
                                                        .formatted(name)))
                        .schema();
        Map<Integer, ColumnDomain> domains = new HashMap<>();
        for (int i = 0; i < partitionColumns.size(); i++) {
            ColumnSchema column = column(table, partitionColumns.get(i).toLowerCase(ENGLISH));
            ColumnDomain domain = domain(table, column, partitionValues.get(i));
            if (domains.put(column.id(), domain) != null) {
                throw invalid("each partition column once", "'" + column.name() + "' twice");
            }
        }
        catalog.deletePartitions(table, new ScanPredicate(domains));
    }

    private static ColumnSchema column(TableSchema table, String name) {
        return table.columns(table.partitionedBy()).stream()
                .filter(column -> column.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                invalid(
                                        "columns that table '%s' is partitioned by: %s"
                                                .formatted(
                                                        table.qualifiedName(),
                                                        table
                                                                .columns(table.partitionedBy())
                                                                .stream()
                                                                .map(ColumnSchema::name)
                                                                .toList()),
                                        "'" + name + "'"));
    }

    private static ColumnDomain domain(
            TableSchema table, ColumnSchema column, @Nullable String text) {
        if (text == null) {
            return ColumnDomain.onlyNull();
        }
        KeyEncoder encoder = KeyEncoder.forColumns(table, List.of(column.id()));
        try {
            byte[] key = encoder.encodeObjects(Collections.singletonList(parse(column, text)));
            return ColumnDomain.of(ValueRange.equal(encoder.split(key).getFirst().orElseThrow()));
        } catch (SteleException | IllegalArgumentException | java.time.DateTimeException e) {
            throw new TrinoException(
                    INVALID_PROCEDURE_ARGUMENT,
                    "Expected a value of partition column '%s' of type %s, found '%s': %s"
                            .formatted(column.name(), column.type(), text, e.getMessage()),
                    e);
        }
    }

    private static Object parse(ColumnSchema column, String text) {
        return switch (column.type().kind()) {
            case BOOLEAN -> parseBoolean(text);
            case TINYINT, SMALLINT, INTEGER, BIGINT -> Long.parseLong(text);
            case DECIMAL -> new BigDecimal(text);
            case VARCHAR, CHAR -> text;
            case DATE -> LocalDate.parse(text);
            case TIMESTAMP ->
                    ((TimestampType) column.type()).precision() > TimestampType.MAX_NANOS_PRECISION
                            ? DefaultLiterals.timestamp(text.replace('T', ' '))
                            : LocalDateTime.parse(text.replace(' ', 'T'));
            case UUID -> UUID.fromString(text);
            case REAL, DOUBLE, VARBINARY, TIME, TIMESTAMP_WITH_TIME_ZONE, JSON, ARRAY, MAP, ROW ->
                    throw new IllegalArgumentException(
                            "values of this type cannot be given as text; use DELETE");
        };
    }

    private static boolean parseBoolean(String text) {
        return switch (text.toLowerCase(ENGLISH)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }

    private static TrinoException invalid(String expected, String found) {
        return new TrinoException(
                INVALID_PROCEDURE_ARGUMENT, "Expected " + expected + ", found " + found);
    }
}
