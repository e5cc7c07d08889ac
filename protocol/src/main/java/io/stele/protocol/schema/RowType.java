package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static io.stele.protocol.schema.TypeLimits.checkDepth;
import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The row type: a structure of fields, each nullable.
 *
 * @param fields 1 to 1,000 fields
 */
public record RowType(List<Field> fields) implements DataType {
    public RowType {
        fields = List.copyOf(fields);
        check(
                !fields.isEmpty() && fields.size() <= TableSchema.MAX_COLUMNS,
                "1 to 1000 row fields",
                fields.size());
        checkDepth(maxDepth(fields) + 1);
    }

    /** A row type of fields in this order. */
    public static RowType of(Field... fields) {
        return new RowType(List.of(fields));
    }

    @Override
    public TypeKind kind() {
        return TypeKind.ROW;
    }

    @Override
    public PhysicalForm form() {
        return PhysicalForm.ROW;
    }

    @Override
    public int depth() {
        return maxDepth(fields) + 1;
    }

    @Override
    public String text() {
        return fields.stream().map(Field::text).collect(Collectors.joining(", ", "row(", ")"));
    }

    @Override
    public String toString() {
        return text();
    }

    private static int maxDepth(List<Field> fields) {
        return fields.stream().mapToInt(field -> field.type().depth()).max().orElse(0);
    }

    /**
     * One field of a row.
     *
     * @param name name, absent for an anonymous field
     * @param type type
     */
    public record Field(Optional<String> name, DataType type) {
        public Field {
            requireNonNull(name, "name is null");
            requireNonNull(type, "type is null");
        }

        public Field(String name, DataType type) {
            this(Optional.of(name), type);
        }

        private String text() {
            return name.map(text -> "\"" + text.replace("\"", "\"\"") + "\" " + type.text())
                    .orElseGet(type::text);
        }
    }
}
