package io.stele.paimon;

import io.trino.testing.MaterializedRow;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Canonical texts of values, so that those of Paimon and of Trino can be compared. Stateless. */
final class Texts {
    private Texts() {}

    static String of(@Nullable Object value) {
        return switch (value) {
            case null -> "null";
            case List<?> list -> list.stream().map(Texts::of).toList().toString();
            case Map<?, ?> map ->
                    map.entrySet().stream()
                            .map(entry -> of(entry.getKey()) + "=" + of(entry.getValue()))
                            .sorted()
                            .toList()
                            .toString();
            case MaterializedRow row -> of(row.getFields());
            case byte[] bytes -> Base64.getEncoder().encodeToString(bytes);
            case BigDecimal decimal -> decimal.toPlainString();
            case ZonedDateTime time -> time.toInstant().toString();
            case Instant time -> time.toString();
            case LocalDateTime time -> time.toString();
            case String text -> "'" + text + "'";
            default -> value.toString();
        };
    }

    /** The rows of a result, in its order. */
    static List<String> rows(Iterable<MaterializedRow> rows) {
        List<String> result = new ArrayList<>();
        rows.forEach(row -> result.add(of(row.getFields())));
        return result;
    }
}
