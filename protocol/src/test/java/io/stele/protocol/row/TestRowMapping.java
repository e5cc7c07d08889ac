package io.stele.protocol.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IdentifiedType;
import io.stele.protocol.schema.IdentifiedType.Child;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.SchemaEditor;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TypeKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestRowMapping {
    private static final List<String> SCALARS =
            List.of(
                    "boolean",
                    "tinyint",
                    "smallint",
                    "integer",
                    "bigint",
                    "real",
                    "double",
                    "decimal(5,2)",
                    "decimal(18,2)",
                    "decimal(19,2)",
                    "decimal(38,2)",
                    "varchar(3)",
                    "varchar",
                    "char(2)",
                    "char(5)",
                    "uuid",
                    "timestamp(6)");

    @Test
    void sameBytesAreNotMapped() {
        List<ColumnSchema> before =
                List.of(
                        column(1, "a", "varchar(5)").notNull(),
                        column(2, "b", "decimal(5,2)"),
                        column(3, "c", "row(\"x\" char(3))"));
        List<ColumnSchema> after =
                List.of(
                        column(1, "a2", "varchar"),
                        column(2, "b2", "decimal(7,2)"),
                        column(3, "c2", "row(\"y\" char(4))"));
        assertThat(RowMapping.of(before, after).isSameBytes()).isTrue();
        assertThat(RowMapping.of(before, after.subList(0, 2)).isSameBytes()).isFalse();
        assertThat(RowMapping.of(before.subList(0, 2), after).isSameBytes()).isFalse();
        assertThat(RowMapping.of(before, List.of(after.get(1), after.get(0), after.get(2))))
                .returns(false, RowMapping::isSameBytes);
        assertThatThrownBy(
                        () ->
                                RowMapping.of(
                                        List.of(column(1, "a", "bigint")),
                                        List.of(column(1, "a", "integer"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bigint, found integer");
    }

    @Test
    void valuesAreWidenedAtTheirExtremes() {
        check("tinyint", "bigint", Byte.MIN_VALUE, (long) Byte.MIN_VALUE);
        check("smallint", "integer", Short.MIN_VALUE, (int) Short.MIN_VALUE);
        check("integer", "bigint", Integer.MIN_VALUE, (long) Integer.MIN_VALUE);
        check("real", "double", 0.1f, (double) 0.1f);
        check("real", "double", Float.NEGATIVE_INFINITY, Double.NEGATIVE_INFINITY);
        check("real", "double", Float.NaN, Double.NaN);
        check("real", "double", -0.0f, -0.0);
        for (String number : List.of("-999999999999999999", "999999999999999999", "-1", "0")) {
            java.math.BigDecimal value = new java.math.BigDecimal(number);
            check("decimal(18,0)", "decimal(38,0)", value, value);
        }
        check("char(2)", "char(4)", "é ", "é   ");
    }

    private static void check(String from, String to, Object value, Object expected) {
        RowMapping mapping =
                RowMapping.of(List.of(column(1, "a", from)), List.of(column(1, "a", to)));
        byte[] mapped = mapping.mapper().map(Rows.toBytes(mapping.from(), value));
        mapping.to().validate(mapped, 0, mapped.length);
        assertThat(Rows.toBytes(mapping.to(), expected)).isEqualTo(mapped);
    }

    /** Random changes, against a mapping of Java values by id. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void rowsOfEveryVersionAreReadAsTheNewest(long seed) {
        Random random = new Random(seed);
        RandomValues values = new RandomValues(random);
        List<TableSchema> versions = new ArrayList<>();
        TableSchema table = table(random);
        int nextId = SchemaHistory.of(table).nextColumnId();
        versions.add(table);
        while (versions.size() < 25) {
            SchemaEditor editor = new SchemaEditor(table, nextId);
            try {
                table = editor.apply(randomChange(table, random));
            } catch (SteleException refused) {
                continue;
            }
            nextId = editor.nextColumnId();
            versions.add(table);
        }
        for (TableSchema version : versions) {
            RowMapping mapping = RowMapping.of(version.columns(), table.columns());
            RowMapping.Mapper mapper = mapping.mapper();
            for (int i = 0; i < 20; i++) {
                List<@Nullable Object> row = values.row(version.columns());
                byte[] bytes = Rows.toBytes(mapping.from(), row.toArray());
                byte[] mapped = mapper.map(bytes);
                mapping.to().validate(mapped, 0, mapped.length);
                assertThat(mapped)
                        .as("row of version %d", version.schemaVersion())
                        .isEqualTo(
                                Rows.toBytes(
                                        mapping.to(), expected(version, table, row).toArray()));
                if (mapping.isSameBytes()) {
                    assertThat(mapped).isEqualTo(bytes);
                }
            }
        }
    }

    private static List<@Nullable Object> expected(
            TableSchema from, TableSchema to, List<@Nullable Object> row) {
        List<@Nullable Object> expected = new ArrayList<>();
        for (ColumnSchema column : to.columns()) {
            Object value = null;
            for (int i = 0; i < from.columns().size(); i++) {
                if (from.columns().get(i).id() == column.id()) {
                    value =
                            convert(
                                    row.get(i),
                                    IdentifiedType.of(from.columns().get(i)),
                                    IdentifiedType.of(column));
                }
            }
            expected.add(value);
        }
        return expected;
    }

    private static @Nullable Object convert(
            @Nullable Object value, IdentifiedType from, IdentifiedType to) {
        if (value == null) {
            return null;
        }
        return switch (to.type().kind()) {
            case SMALLINT -> ((Number) value).shortValue();
            case INTEGER -> ((Number) value).intValue();
            case BIGINT -> ((Number) value).longValue();
            case DOUBLE -> ((Number) value).doubleValue();
            case ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                for (Object element : (List<?>) value) {
                    elements.add(convert(element, part(from, 0), part(to, 0)));
                }
                yield elements;
            }
            case MAP -> {
                Map<@Nullable Object, @Nullable Object> pairs = new LinkedHashMap<>();
                ((Map<?, ?>) value)
                        .forEach(
                                (key, element) ->
                                        pairs.put(
                                                convert(key, part(from, 0), part(to, 0)),
                                                convert(element, part(from, 1), part(to, 1))));
                yield pairs;
            }
            case ROW -> {
                List<@Nullable Object> fields = new ArrayList<>();
                for (Child field : to.children()) {
                    Object found = null;
                    for (int i = 0; i < from.children().size(); i++) {
                        Child old = from.children().get(i);
                        if (old.id() == field.id()) {
                            found = convert(((List<?>) value).get(i), old.type(), field.type());
                        }
                    }
                    fields.add(found);
                }
                yield fields;
            }
            default -> value;
        };
    }

    private static IdentifiedType part(IdentifiedType type, int index) {
        return type.children().get(index).type();
    }

    private static ColumnChange randomChange(TableSchema table, Random random) {
        ColumnSchema column = table.columns().get(random.nextInt(table.columns().size()));
        List<String> path = new ArrayList<>(List.of(column.name()));
        IdentifiedType type = IdentifiedType.of(column);
        while (!type.children().isEmpty() && random.nextInt(4) > 0) {
            int index = random.nextInt(type.children().size());
            path.add(type.children().get(index).name().orElse("field" + index));
            type = part(type, index);
        }
        String name = "n" + random.nextInt(1 << 20);
        return switch (random.nextInt(8)) {
            case 0 -> ColumnChange.addColumn(name, randomType(random, 3), Optional.empty());
            case 1, 2 ->
                    type.type().kind() == TypeKind.ROW
                            ? ColumnChange.addField(path, name, randomType(random, 2))
                            : ColumnChange.addColumn(name, randomType(random, 3), Optional.empty());
            case 3 -> ColumnChange.drop(path);
            case 4 -> ColumnChange.rename(path, name);
            case 5 -> ColumnChange.dropNotNull(path.get(0));
            default ->
                    ColumnChange.setType(
                            path, DataType.parse(SCALARS.get(random.nextInt(SCALARS.size()))));
        };
    }

    private static DataType randomType(Random random, int depth) {
        return DataType.parse(typeText(random, depth));
    }

    private static String typeText(Random random, int depth) {
        int kind = depth == 0 ? 3 : random.nextInt(6);
        return switch (kind) {
            case 0 -> "array(" + typeText(random, depth - 1) + ")";
            case 1 -> "map(varchar, " + typeText(random, depth - 1) + ")";
            case 2 ->
                    "row(\"a\" "
                            + typeText(random, depth - 1)
                            + ", \"b\" "
                            + typeText(random, depth - 1)
                            + ")";
            default -> SCALARS.get(random.nextInt(SCALARS.size()));
        };
    }

    private static TableSchema table(Random random) {
        List<ColumnSchema> columns = new ArrayList<>();
        columns.add(column(1, "k", "bigint").notNull());
        for (int id = 2; id < 10; id++) {
            ColumnSchema column = new ColumnSchema(id, "c" + id, randomType(random, 3));
            columns.add(random.nextBoolean() ? column : column.notNull());
        }
        return TableSchema.builder("s", "t")
                .columns(columns)
                .primaryKey(List.of(1))
                .orientation(Orientation.ROW)
                .build();
    }

    private static ColumnSchema column(int id, String name, String type) {
        return new ColumnSchema(id, name, DataType.parse(type));
    }
}
