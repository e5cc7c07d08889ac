package io.stele.sidecar.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.RowType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The bytes that clients of every language have in common, {@code clients/vectors.json}. */
final class ClientVectors {
    private static final int NANOS_DIGITS = 9;

    private ClientVectors() {}

    static JsonNode load() throws IOException {
        return new ObjectMapper()
                .readTree(DocumentedExample.repository().resolve("clients/vectors.json").toFile());
    }

    /** The object of a value as the file has it, of the classes that {@code Rows} takes. */
    static @Nullable Object value(DataType type, JsonNode written) {
        if (written.isNull()) {
            return null;
        }
        return switch (type.kind()) {
            case BOOLEAN -> written.booleanValue();
            case TINYINT, SMALLINT, INTEGER, BIGINT -> written.longValue();
            case REAL -> Float.valueOf(written.textValue());
            case DOUBLE -> Double.valueOf(written.textValue());
            case DECIMAL -> new BigDecimal(written.textValue());
            case VARCHAR, CHAR, JSON -> written.textValue();
            case VARBINARY -> HexFormat.of().parseHex(written.textValue());
            case DATE -> LocalDate.parse(written.textValue());
            case TIME ->
                    ((TimeType) type).precision() > NANOS_DIGITS
                            ? new BigDecimal(written.textValue())
                            : LocalTime.parse(written.textValue());
            case TIMESTAMP ->
                    ((TimestampType) type).precision() > NANOS_DIGITS
                            ? new BigDecimal(written.textValue())
                            : LocalDateTime.parse(written.textValue());
            case TIMESTAMP_WITH_TIME_ZONE ->
                    ((TimestampType) type).precision() > NANOS_DIGITS
                            ? new BigDecimal(written.textValue())
                            : Instant.parse(written.textValue());
            case UUID -> UUID.fromString(written.textValue());
            case ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                written.forEach(
                        element -> elements.add(value(((ArrayType) type).element(), element)));
                yield elements;
            }
            case MAP -> map((MapType) type, written);
            case ROW -> {
                List<@Nullable Object> fields = new ArrayList<>();
                for (int i = 0; i < written.size(); i++) {
                    fields.add(value(((RowType) type).fields().get(i).type(), written.get(i)));
                }
                yield fields;
            }
        };
    }

    private static Map<@Nullable Object, @Nullable Object> map(MapType type, JsonNode pairs) {
        Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
        pairs.forEach(
                pair -> map.put(value(type.key(), pair.get(0)), value(type.value(), pair.get(1))));
        return map;
    }
}
