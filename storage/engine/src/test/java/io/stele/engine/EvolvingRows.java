package io.stele.engine;

import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.IdentifiedType;
import io.stele.protocol.schema.IdentifiedType.Child;
import io.stele.protocol.schema.InitialValue;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * What rows of one schema version are in another, by Java values and ids alone: the oracle of
 * schema changes, which shares no code with what maps rows. With it, random changes and values.
 *
 * <p>A table's first three columns (id bigint, name varchar, amount bigint) stay.
 */
final class EvolvingRows {
    static final int FIXED_COLUMNS = 3;

    private static final int MAX_COLUMNS = 10;
    private static final List<String> SCALARS =
            List.of(
                    "tinyint",
                    "smallint",
                    "integer",
                    "bigint",
                    "real",
                    "double",
                    "decimal(5,2)",
                    "decimal(18,2)",
                    "decimal(30,2)",
                    "varchar(4)",
                    "varchar",
                    "char(3)",
                    "char(6)",
                    "timestamp(8)",
                    "wide_timestamp(8)");

    private final SplittableRandom random;

    EvolvingRows(SplittableRandom random) {
        this.random = random;
    }

    /**
     * A row as it was written.
     *
     * @param values one a column of the version
     */
    record Written(TableSchema schema, List<Object> values) {
        /** The row with some columns changed; both have the version of {@code given} then. */
        Written with(TableSchema given, Map<Integer, Object> changed) {
            List<Object> all = new ArrayList<>(as(given));
            changed.forEach((columnId, value) -> all.set(given.indexOf(columnId), value));
            return new Written(given, all);
        }

        /** The row's values in another version. */
        List<Object> as(TableSchema to) {
            List<Object> converted = new ArrayList<>();
            for (ColumnSchema column : to.columns()) {
                Object value = initial(column);
                for (int i = 0; i < values.size(); i++) {
                    ColumnSchema before = schema.columns().get(i);
                    if (before.id() == column.id()) {
                        value =
                                convert(
                                        values.get(i),
                                        IdentifiedType.of(before),
                                        IdentifiedType.of(column));
                    }
                }
                converted.add(value);
            }
            return converted;
        }
    }

    /** What a row that is older than a column has in it. */
    private static Object initial(ColumnSchema column) {
        if (column.initialValue().isEmpty()) {
            return null;
        }
        InitialValue initial = column.initialValue().get();
        ColumnSchema then = new ColumnSchema(1, "then", initial.type());
        RowLayout layout = RowLayout.of(List.of(then.notNull()));
        return convert(
                Rows.objectAt(new BinaryRow(layout).wrap(initial.row()), 0),
                IdentifiedType.of(then),
                IdentifiedType.of(column));
    }

    private static Object convert(Object value, IdentifiedType from, IdentifiedType to) {
        if (value == null) {
            return null;
        }
        return switch (to.type().kind()) {
            case SMALLINT -> ((Number) value).shortValue();
            case INTEGER -> ((Number) value).intValue();
            case BIGINT -> ((Number) value).longValue();
            case DOUBLE -> ((Number) value).doubleValue();
            case ARRAY -> {
                List<Object> elements = new ArrayList<>();
                for (Object element : (List<?>) value) {
                    elements.add(convert(element, part(from, 0), part(to, 0)));
                }
                yield elements;
            }
            case MAP -> {
                Map<Object, Object> pairs = new LinkedHashMap<>();
                ((Map<?, ?>) value)
                        .forEach(
                                (key, element) ->
                                        pairs.put(
                                                key, convert(element, part(from, 1), part(to, 1))));
                yield pairs;
            }
            case ROW -> {
                List<Object> fields = new ArrayList<>();
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

    /** Values of a row but its key: null now and then. */
    List<Object> values(TableSchema schema, long id) {
        List<Object> values = new ArrayList<>();
        values.add(id);
        for (ColumnSchema column : schema.columns().subList(1, schema.columns().size())) {
            values.add(column.nullable() && random.nextInt(5) == 0 ? null : value(column.type()));
        }
        return values;
    }

    /** A value, not null. */
    Object value(DataType type) {
        return switch (type.kind()) {
            case TINYINT -> (byte) random.nextInt();
            case SMALLINT -> (short) random.nextInt();
            case INTEGER -> random.nextInt();
            case BIGINT -> random.nextLong();
            case REAL -> (float) random.nextInt(1000) / 8;
            case DOUBLE -> (double) random.nextInt(1000) / 8;
            case DECIMAL ->
                    new BigDecimal(
                            BigInteger.valueOf(random.nextInt(-99_999, 100_000)),
                            ((DecimalType) type).scale());
            case TIMESTAMP ->
                    LocalDateTime.of(type.scale() == 0 ? 1969 : 1, 12, 31, 23, 59, 59)
                            .plusNanos(random.nextInt(40) * 50_000_000_100L);
            case VARCHAR -> "v" + random.nextInt(100);
            case CHAR -> "c" + random.nextInt(10); // its spaces are added where it is shown
            case ARRAY -> {
                List<Object> elements = new ArrayList<>();
                for (int i = random.nextInt(3); i > 0; i--) {
                    elements.add(nullable(((ArrayType) type).element()));
                }
                yield elements;
            }
            case MAP -> {
                Map<Object, Object> pairs = new LinkedHashMap<>();
                for (int i = random.nextInt(3); i > 0; i--) {
                    pairs.put("k" + i, nullable(((MapType) type).value()));
                }
                yield pairs;
            }
            case ROW -> {
                List<Object> fields = new ArrayList<>();
                for (Child field : IdentifiedType.of(type, () -> 0).children()) {
                    fields.add(nullable(field.type().type()));
                }
                yield fields;
            }
            default -> throw new IllegalArgumentException("Unexpected " + type);
        };
    }

    private Object nullable(DataType type) {
        return random.nextInt(4) == 0 ? null : value(type);
    }

    /** How values are compared: without a char's spaces. */
    static String shown(List<Object> values) {
        List<Object> shown = new ArrayList<>();
        values.forEach(value -> shown.add(stripped(value)));
        return shown.toString();
    }

    private static Object stripped(Object value) {
        return switch (value) {
            case null -> "null";
            case String text -> "'" + text.stripTrailing() + "'";
            case List<?> list -> list.stream().map(EvolvingRows::stripped).toList();
            case Map<?, ?> map -> {
                Map<Object, Object> pairs = new LinkedHashMap<>();
                map.forEach((key, element) -> pairs.put(stripped(key), stripped(element)));
                yield pairs;
            }
            default -> value;
        };
    }

    /**
     * A change that the table takes.
     *
     * @param refused whether the table refuses a change, which is then drawn again
     */
    ColumnChange change(TableSchema table, java.util.function.Predicate<ColumnChange> refused) {
        while (true) {
            ColumnChange change = randomChange(table);
            try {
                if (!refused.test(change)) {
                    return change;
                }
            } catch (SteleException impossible) {
                // names what it refuses; the next one may be possible
            }
        }
    }

    private ColumnChange randomChange(TableSchema table) {
        int count = table.columns().size();
        String name = "n" + random.nextInt(1 << 20);
        boolean adds = count == FIXED_COLUMNS || (count < MAX_COLUMNS && random.nextInt(3) == 0);
        if (adds) {
            int behind = FIXED_COLUMNS - 1 + random.nextInt(count - FIXED_COLUMNS + 1);
            return added(name, type(3))
                    .at(new ColumnChange.Position(Optional.of(table.columns().get(behind).name())));
        }
        if (random.nextInt(12) == 0) {
            ColumnSchema fixed = table.columns().get(random.nextInt(FIXED_COLUMNS));
            return random.nextBoolean()
                    ? ColumnChange.rename(List.of(fixed.name()), name)
                    : ColumnChange.dropNotNull(fixed.name());
        }
        ColumnSchema column =
                table.columns().get(FIXED_COLUMNS + random.nextInt(count - FIXED_COLUMNS));
        List<String> path = new ArrayList<>(List.of(column.name()));
        IdentifiedType type = IdentifiedType.of(column);
        while (!type.children().isEmpty() && random.nextInt(4) > 0) {
            int index = random.nextInt(type.children().size());
            path.add(type.children().get(index).name().orElseThrow());
            type = part(type, index);
        }
        return switch (random.nextInt(6)) {
            case 0 ->
                    type.type().kind() == TypeKind.ROW
                            ? ColumnChange.addField(path, name, type(2))
                            : ColumnChange.rename(path, name);
            case 1 -> ColumnChange.drop(path);
            case 2 -> ColumnChange.rename(path, name);
            default ->
                    ColumnChange.setType(
                            path, DataType.parse(SCALARS.get(random.nextInt(SCALARS.size()))));
        };
    }

    /** A new column, now and then with a value for the rows that are there. */
    private ColumnChange added(String name, DataType type) {
        ColumnChange plain = ColumnChange.addColumn(name, type, Optional.empty());
        if (type.form().isNested() || random.nextInt(3) == 0) {
            return plain;
        }
        ColumnChange filled = plain.withInitialValue(InitialRow.value(type, value(type)));
        return random.nextInt(3) == 0 ? filled.asNotNull() : filled;
    }

    private DataType type(int depth) {
        return DataType.parse(typeText(depth));
    }

    private String typeText(int depth) {
        return switch (depth == 0 ? 9 : random.nextInt(7)) {
            case 0 -> "array(" + typeText(depth - 1) + ")";
            case 1 -> "map(varchar, " + typeText(depth - 1) + ")";
            case 2 -> "row(\"a\" " + typeText(depth - 1) + ", \"b\" " + typeText(depth - 1) + ")";
            default -> SCALARS.get(random.nextInt(SCALARS.size()));
        };
    }
}
