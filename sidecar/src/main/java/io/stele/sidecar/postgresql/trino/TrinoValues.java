package io.stele.sidecar.postgresql.trino;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.DataType;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.trino.client.Row;
import io.trino.client.RowField;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Values of Trino's results as PostgreSQL's text format has them. Stateless. */
final class TrinoValues {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Digits behind those that Java's times have. */
    private static final Pattern PICOSECONDS = Pattern.compile("(\\.\\d{9})\\d+");

    private TrinoValues() {}

    /** The type as which a column of a type of Trino is shown; TEXT if PostgreSQL has none. */
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

    /** A value as text. */
    static String text(PostgresType type, Object value) {
        return switch (type) {
            case BOOL, FLOAT4, FLOAT8, BYTEA -> TextFormat.write(value);
            case TIME, TIMESTAMP -> normal(type, value.toString());
            case TIMESTAMPTZ -> instant(value.toString());
            case JSON -> value instanceof String text ? text : json(value);
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
            return text; // a year that PostgreSQL's clients may not read either
        }
    }

    /** From {@code 2026-01-02 03:04:05.678 Europe/Berlin}. */
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

    private static String json(Object value) {
        try {
            return JSON.writeValueAsString(plain(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Expected a value that can be JSON", e);
        }
    }

    private static @Nullable Object plain(@Nullable Object value) {
        return switch (value) {
            case Row row -> {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                for (RowField field : row.getFields()) {
                    fields.put(
                            field.getName().orElse("field" + field.getOrdinal()),
                            plain(field.getValue()));
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
                map.forEach((key, mapped) -> all.put(String.valueOf(key), plain(mapped)));
                yield all;
            }
            case byte[] bytes -> "\\x" + HexFormat.of().formatHex(bytes);
            case null -> null;
            default -> value;
        };
    }
}
