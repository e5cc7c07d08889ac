package io.stele.connector.type;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ScaledColumn;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.RowType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TimestampType;
import io.trino.orc.OrcColumn;
import io.trino.orc.metadata.ColumnMetadata;
import io.trino.orc.metadata.OrcColumnId;
import io.trino.orc.metadata.OrcType;
import io.trino.orc.metadata.OrcType.OrcTypeKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A builder and reader of the ORC schema of column files that workers write, which equals that of
 * {@code OrcSchemas} in storage. Stateless.
 */
public final class OrcColumns {
    /** Attribute of a column: its id in the table. */
    public static final String ID_ATTRIBUTE = "stele.id";

    /** Attribute of a column: its type in Trino's syntax. */
    public static final String TYPE_ATTRIBUTE = "stele.type";

    /**
     * Attribute of a column whose type changed inside: the ids of its row fields, as {@link
     * io.stele.protocol.schema.IdentifiedType} orders them. Without it the ids are 1, 2 and so on.
     */
    public static final String FIELDS_ATTRIBUTE = "stele.fields";

    private OrcColumns() {}

    /** A column as it is in the file; its name and nullability have no meaning. */
    public static ColumnSchema written(OrcColumn column) {
        Map<String, String> attributes = column.getAttributes();
        List<Integer> fieldIds = new ArrayList<>();
        String ids = attributes.getOrDefault(FIELDS_ATTRIBUTE, "");
        if (!ids.isEmpty()) {
            for (String id : ids.split(",", -1)) {
                fieldIds.add(Integer.parseInt(id));
            }
        }
        return new ColumnSchema(
                Integer.parseInt(requireNonNull(attributes.get(ID_ATTRIBUTE), "column has no id")),
                "written",
                DataType.parse(
                        requireNonNull(attributes.get(TYPE_ATTRIBUTE), "column has no type")),
                true,
                Optional.empty(),
                fieldIds);
    }

    private static Map<String, String> attributes(ColumnSchema column) {
        Map<String, String> attributes = new HashMap<>();
        attributes.put(ID_ATTRIBUTE, Integer.toString(column.id()));
        attributes.put(TYPE_ATTRIBUTE, column.type().text());
        if (!column.fieldIds().isEmpty()) {
            attributes.put(
                    FIELDS_ATTRIBUTE,
                    column.fieldIds().stream()
                            .map(String::valueOf)
                            .collect(Collectors.joining(",")));
        }
        return Map.copyOf(attributes);
    }

    /** The tree of types of a file with these columns alone, root first. */
    public static ColumnMetadata<OrcType> of(List<ColumnSchema> columns) {
        return of(columns, List.of());
    }

    /**
     * The tree of types, root first.
     *
     * @param scaled the hidden columns of whole numbers, after the other columns
     */
    public static ColumnMetadata<OrcType> of(
            List<ColumnSchema> columns, List<ScaledColumn> scaled) {
        List<OrcType> types = new ArrayList<>();
        types.add(struct(List.of(), List.of())); // replaced after the children
        List<OrcColumnId> children = new ArrayList<>();
        for (ColumnSchema column : columns) {
            children.add(new OrcColumnId(types.size()));
            add(column.type(), attributes(column), types);
        }
        for (ScaledColumn column : scaled) {
            children.add(new OrcColumnId(types.size()));
            add(ScalarType.BIGINT, column.attributes(), types);
        }
        types.set(0, struct(children, names(columns, scaled)));
        return new ColumnMetadata<>(types);
    }

    /** The names of all columns of a file, in their order. */
    public static List<String> names(List<ColumnSchema> columns, List<ScaledColumn> scaled) {
        List<String> names =
                columns.stream()
                        .map(ColumnSchema::name)
                        .collect(Collectors.toCollection(ArrayList::new));
        scaled.forEach(column -> names.add(column.name(names)));
        return List.copyOf(names);
    }

    private static void add(DataType type, Map<String, String> attributes, List<OrcType> types) {
        switch (type.kind()) {
            case ARRAY ->
                    addNested(
                            OrcTypeKind.LIST,
                            List.of(((ArrayType) type).element()),
                            List.of("item"),
                            attributes,
                            types);
            case MAP ->
                    addNested(
                            OrcTypeKind.MAP,
                            List.of(((MapType) type).key(), ((MapType) type).value()),
                            List.of("key", "value"),
                            attributes,
                            types);
            case ROW -> {
                List<RowType.Field> fields = ((RowType) type).fields();
                List<String> names = new ArrayList<>();
                for (RowType.Field field : fields) {
                    names.add(field.name().orElse("field" + names.size()));
                }
                addNested(
                        OrcTypeKind.STRUCT,
                        fields.stream().map(RowType.Field::type).toList(),
                        names,
                        attributes,
                        types);
            }
            default -> types.add(scalar(type, attributes));
        }
    }

    private static void addNested(
            OrcTypeKind kind,
            List<DataType> childTypes,
            List<String> names,
            Map<String, String> attributes,
            List<OrcType> types) {
        int index = types.size();
        types.add(struct(List.of(), List.of())); // replaced after the children
        List<OrcColumnId> children = new ArrayList<>();
        for (DataType child : childTypes) {
            children.add(new OrcColumnId(types.size()));
            add(child, Map.of(), types);
        }
        types.set(
                index,
                new OrcType(
                        kind,
                        children,
                        names,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        attributes));
    }

    private static OrcType struct(List<OrcColumnId> children, List<String> names) {
        return new OrcType(
                OrcTypeKind.STRUCT,
                children,
                names,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of());
    }

    private static OrcType scalar(DataType type, Map<String, String> attributes) {
        Optional<Integer> length = Optional.empty();
        Optional<Integer> precision = Optional.empty();
        Optional<Integer> scale = Optional.empty();
        switch (type) {
            case CharType character -> length = Optional.of(character.length());
            case DecimalType decimal -> {
                precision = Optional.of(decimal.precision());
                scale = Optional.of(decimal.scale());
            }
            case TimestampType timestamp when timestamp.isWide() -> {
                precision = Optional.of(DecimalType.MAX_PRECISION);
                scale = Optional.of(timestamp.scale());
            }
            default -> {}
        }
        return new OrcType(kind(type), List.of(), List.of(), length, precision, scale, attributes);
    }

    private static OrcTypeKind kind(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> OrcTypeKind.BOOLEAN;
            case TINYINT -> OrcTypeKind.BYTE;
            case SMALLINT -> OrcTypeKind.SHORT;
            case INTEGER -> OrcTypeKind.INT;
            case BIGINT, TIME -> OrcTypeKind.LONG;
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                    type.form() == PhysicalForm.INT128 ? OrcTypeKind.DECIMAL : OrcTypeKind.LONG;
            case REAL -> OrcTypeKind.FLOAT;
            case DOUBLE -> OrcTypeKind.DOUBLE;
            case DECIMAL -> OrcTypeKind.DECIMAL;
            case CHAR -> OrcTypeKind.CHAR;
            case VARBINARY, UUID -> OrcTypeKind.BINARY;
            case DATE -> OrcTypeKind.DATE;
            case VARCHAR, JSON -> OrcTypeKind.STRING;
            case ARRAY -> OrcTypeKind.LIST;
            case MAP -> OrcTypeKind.MAP;
            case ROW -> OrcTypeKind.STRUCT;
        };
    }
}
