package io.stele.sidecar.postgresql.trino;

import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.type.TextFormat;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A converter of bound parameter values to literals of Trino's SQL. Stateless. */
final class TrinoLiterals {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSSSSS", Locale.ROOT);

    private TrinoLiterals() {}

    /**
     * A literal.
     *
     * @param oid PostgreSQL's type of the parameter
     * @param value in PostgreSQL's text format; empty: NULL
     * @param zone of timestamps without a zone
     */
    static String of(int oid, Optional<String> value, ZoneId zone) {
        if (value.isEmpty()) {
            return "NULL";
        }
        Optional<PostgresType> element = PostgresType.ofArrayOid(oid);
        if (element.isPresent()) {
            return array(TextFormat.readArray(element.get(), value.get(), zone));
        }
        PostgresType type = PostgresType.ofOid(oid).orElse(PostgresType.TEXT);
        String literal = of(TextFormat.read(type, value.get(), zone));
        return type == PostgresType.JSON || type == PostgresType.JSONB
                ? "JSON " + literal
                : literal;
    }

    private static String array(List<? extends @Nullable Object> elements) {
        return elements.stream()
                .map(element -> element == null ? "NULL" : of(element))
                .collect(Collectors.joining(", ", "ARRAY[", "]"));
    }

    private static String of(Object value) {
        return switch (value) {
            case Boolean truth -> truth.toString();
            case Short number -> "SMALLINT '%s'".formatted(number);
            case Integer number -> "INTEGER '%s'".formatted(number);
            case Long number -> "BIGINT '%s'".formatted(number);
            case Float number -> "REAL '%s'".formatted(number);
            case Double number -> "DOUBLE '%s'".formatted(number);
            case BigDecimal number -> "DECIMAL '%s'".formatted(number.toPlainString());
            case byte[] bytes -> "X'%s'".formatted(HexFormat.of().formatHex(bytes));
            case LocalDate date -> "DATE '%s'".formatted(date);
            case LocalTime time -> "TIME '%s'".formatted(TIME.format(time));
            case LocalDateTime time -> "TIMESTAMP '%s'".formatted(timestamp(time));
            case Instant instant ->
                    "TIMESTAMP '%s UTC'"
                            .formatted(timestamp(LocalDateTime.ofInstant(instant, ZoneOffset.UTC)));
            case UUID id -> "UUID '%s'".formatted(id);
            case List<?> elements -> array(elements);
            default -> text(value.toString());
        };
    }

    private static String timestamp(LocalDateTime time) {
        return time.toLocalDate() + " " + TIME.format(time.toLocalTime());
    }

    /** A text of any characters. */
    static String text(String value) {
        return "'" + value.replace("'", "''") + "'";
    }
}
