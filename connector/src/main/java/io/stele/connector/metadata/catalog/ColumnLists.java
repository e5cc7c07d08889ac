package io.stele.connector.metadata.catalog;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Locale.ENGLISH;

import com.google.common.collect.ImmutableList;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.TrinoException;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.ArrayType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Factory methods for properties that are lists of column names, for tables and for calls of
 * procedures. Stateless.
 */
public final class ColumnLists {
    private ColumnLists() {}

    /**
     * A property that is an empty list by default.
     *
     * @param invalid the error of a value that is not a list of names
     */
    public static PropertyMetadata<?> property(
            String name, String description, ErrorCodeSupplier invalid) {
        return new PropertyMetadata<>(
                name,
                description,
                new ArrayType(VARCHAR),
                List.class,
                ImmutableList.of(),
                false,
                value ->
                        ((Collection<?>) value)
                                .stream()
                                        .map(column -> check(name, column, invalid))
                                        .collect(toImmutableList()),
                value -> value);
    }

    /** The names in the value of a property, in lower case; empty when it is not given. */
    public static List<String> names(Map<String, Object> properties, String property) {
        if (!(properties.get(property) instanceof List<?> names)) {
            return List.of();
        }
        return names.stream().map(String.class::cast).toList();
    }

    private static String check(String property, Object column, ErrorCodeSupplier invalid) {
        if (!(column instanceof String text) || text.isEmpty()) {
            throw new TrinoException(
                    invalid,
                    "Expected column names in %s, found %s"
                            .formatted(property, Objects.toString(column)));
        }
        return text.toLowerCase(ENGLISH);
    }
}
