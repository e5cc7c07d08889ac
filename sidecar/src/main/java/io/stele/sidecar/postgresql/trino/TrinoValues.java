package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.RowType;
import io.stele.sidecar.postgresql.type.ColumnValues;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.trino.client.Row;
import io.trino.client.RowField;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A converter of one result column's values from Trino to PostgreSQL's text format, equal to the
 * values of fixed plans. Immutable.
 */
final class TrinoValues {
    private static final ObjectMapper JSON =
            JsonMapper.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build();

    /** Digits beyond the nine of Java's times. */
    private static final Pattern PICOSECONDS = Pattern.compile("(\\.\\d{9})\\d+");

    private final PostgresType type;
    private final Optional<DataType> columnType;

    private TrinoValues(PostgresType type, Optional<DataType> columnType) {
        this.type = requireNonNull(type, "type is null");
        this.columnType = requireNonNull(columnType, "columnType is null");
    }

    /** Returns a converter for a column of a Trino type. */
    static TrinoValues of(String trinoType) {
        Optional<DataType> columnType = Optional.empty();
        try {
            columnType = Optional.of(DataType.parse(trinoType));
        } catch (SteleException | IllegalArgumentException e) {
            // A type that no Stele table can have
        }
        return new TrinoValues(type(trinoType), columnType);
    }

    /** The type as which the column is shown. */
    PostgresType type() {
        return type;
    }

    /** A value of the column as text. */
    String text(Object value) {
        return columnType.filter(known -> known.form().isNested()).isPresent()
                ? json(nested(columnType.get(), value))
                : text(type, value);
    }

    /** The type as which a column of a Trino type is shown; TEXT if PostgreSQL has no such type. */
    static PostgresType type(String type) {
        if (type.startsWith("array(") || type.startsWith("map(") || type.startsWith("row(")) {
            return PostgresType.JSON;
        }
        try {
            return PostgresType.of(DataType.parse(type));
        } catch (SteleException | IllegalArgumentException e) {
            return PostgresType.TEXT;
        }
    }

    /**
     * Converts a value by its PostgreSQL type only: decimals and times in arrays, maps and rows
     * stay as Trino sends them.
     */
    static String text(PostgresType type, Object value) {
        return switch (type) {
            case BOOL, FLOAT4, FLOAT8, BYTEA -> TextFormat.write(value);
            case TIME, TIMESTAMP -> normal(type, value.toString());
            case TIMESTAMPTZ -> instant(value.toString());
            case BPCHAR -> ColumnValues.withoutBlanks(value.toString());
            case JSON -> value instanceof String text ? text : json(plain(value));
            default ->
                    value instanceof byte[] bytes
                            ? TextFormat.write(bytes)
                            : value instanceof String text ? text : String.valueOf(plain(value));
        };
    }

    private static String normal(PostgresType type, String text) {
        try {
            return TextFormat.write(
                    TextFormat.read(
                            type, PICOSECONDS.matcher(text).replaceFirst("$1"), ZoneOffset.UTC));
        } catch (RuntimeException e) {
            return text; // a year that PostgreSQL's clients cannot read either
        }
    }

    /** Converts a timestamp of the form {@code 2026-01-02 03:04:05.678 Europe/Berlin}. */
    private static String instant(String text) {
        int space = text.lastIndexOf(' ');
        try {
            String time = PICOSECONDS.matcher(text.substring(0, space)).replaceFirst("$1");
            return TextFormat.write(
                    LocalDateTime.parse(time.replace(' ', 'T'))
                            .atZone(ZoneId.of(text.substring(space + 1)))
                            .toInstant());
        } catch (DateTimeException | IndexOutOfBoundsException e) {
            return text;
        }
    }

    private static String json(@Nullable Object tree) {
        try {
            return JSON.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Expected a value that can be JSON", e);
        }
    }

    /** Converts a value in an array, map or row to a node of JSON. */
    private static @Nullable Object nested(DataType type, @Nullable Object value) {
        return switch (type) {
            case ArrayType array when value instanceof List<?> elements -> {
                List<@Nullable Object> all = new ArrayList<>();
                elements.forEach(element -> all.add(nested(array.element(), element)));
                yield all;
            }
            case MapType map when value instanceof Map<?, ?> entries -> {
                Map<String, @Nullable Object> all = new LinkedHashMap<>();
                entries.forEach(
                        (key, mapped) -> all.put(key(map.key(), key), nested(map.value(), mapped)));
                yield all;
            }
            case RowType row when value instanceof Row fields -> {
                Map<String, @Nullable Object> all = new LinkedHashMap<>();
                for (int i = 0; i < fields.getFields().size(); i++) {
                    RowField field = fields.getFields().get(i);
                    all.put(
                            field.getName().orElse("field" + i),
                            nested(row.fields().get(i).type(), field.getValue()));
                }
                yield all;
            }
            default -> value == null ? null : leaf(type, value);
        };
    }

    private static @Nullable Object leaf(DataType type, Object value) {
        PostgresType shown = PostgresType.of(type);
        return value instanceof Number || value instanceof Boolean
                ? value
                : shown == PostgresType.NUMERIC
                        ? new BigDecimal(value.toString())
                        : type.form().isNested() ? plain(value) : text(shown, value);
    }

    private static String key(DataType type, @Nullable Object key) {
        Object node = nested(type, key);
        return type.form().isNested()
                ? json(node)
                : node == null || node instanceof Boolean
                        ? String.valueOf(node)
                        : TextFormat.write(node);
    }

    /** Converts a value of an unknown type to a node of JSON. */
    private static @Nullable Object plain(@Nullable Object value) {
        return switch (value) {
            case Row row -> {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                for (int i = 0; i < row.getFields().size(); i++) {
                    RowField field = row.getFields().get(i);
                    fields.put(field.getName().orElse("field" + i), plain(field.getValue()));
                }
                yield fields;
            }
            case List<?> elements -> {
                List<@Nullable Object> all = new ArrayList<>();
                elements.forEach(element -> all.add(plain(element)));
                yield all;
            }
            case Map<?, ?> map -> {
                Map<String, @Nullable Object> all = new LinkedHashMap<>();
                map.forEach((key, mapped) -> all.put(plainKey(key), plain(mapped)));
                yield all;
            }
            case byte[] bytes -> TextFormat.write(bytes);
            case null -> null;
            default -> value;
        };
    }

    private static String plainKey(Object key) {
        Object node = plain(key);
        return node instanceof List<?> || node instanceof Map<?, ?>
                ? json(node)
                : node == null || node instanceof Boolean
                        ? String.valueOf(node)
                        : TextFormat.write(node);
    }
}
