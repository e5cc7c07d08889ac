package io.stele.connector.type;

import io.stele.protocol.TableId;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A table with a column of every storable type, and rows with the ends of each type's range. */
public final class AllTypes {
    private static final Map<String, List<Object>> VALUES = new LinkedHashMap<>();

    static {
        VALUES.put("boolean", List.of(true, false));
        VALUES.put("tinyint", List.of(Byte.MIN_VALUE, (byte) 0, Byte.MAX_VALUE));
        VALUES.put("smallint", List.of(Short.MIN_VALUE, (short) 0, Short.MAX_VALUE));
        VALUES.put("integer", List.of(Integer.MIN_VALUE, 0, Integer.MAX_VALUE));
        VALUES.put("bigint", List.of(Long.MIN_VALUE, 0L, Long.MAX_VALUE));
        VALUES.put(
                "real",
                List.of(
                        -Float.MAX_VALUE,
                        Float.MIN_VALUE,
                        -0.0f,
                        Float.NaN,
                        Float.NEGATIVE_INFINITY));
        VALUES.put(
                "double",
                List.of(
                        -Double.MAX_VALUE,
                        Double.MIN_VALUE,
                        -0.0,
                        Double.NaN,
                        Double.POSITIVE_INFINITY));
        VALUES.put(
                "decimal(18,4)",
                List.of(
                        new BigDecimal("-99999999999999.9999"),
                        new BigDecimal("0.0001"),
                        new BigDecimal("99999999999999.9999")));
        VALUES.put(
                "decimal(38,10)",
                List.of(
                        new BigDecimal(BigInteger.TEN.pow(38).subtract(BigInteger.ONE), 10),
                        new BigDecimal(
                                BigInteger.TEN.pow(38).subtract(BigInteger.ONE).negate(), 10),
                        new BigDecimal("-0.0000000001")));
        VALUES.put("varchar", List.of("", "a", "grün 𝄞 " + "x".repeat(1000)));
        VALUES.put("varchar(5)", List.of("", "ab", "𝄞𝄞𝄞𝄞𝄞"));
        VALUES.put("char(5)", List.of("", "ab", "abcde", "ü c"));
        VALUES.put(
                "varbinary",
                List.of(
                        new byte[0],
                        new byte[] {0, -1, 127},
                        "text".getBytes(StandardCharsets.UTF_8)));
        VALUES.put(
                "date",
                List.of(
                        LocalDate.of(1, 1, 1),
                        LocalDate.of(1582, 10, 10),
                        LocalDate.of(1969, 12, 31),
                        LocalDate.of(9999, 12, 31)));
        VALUES.put("time(3)", List.of(LocalTime.MIDNIGHT, LocalTime.of(23, 59, 59, 999_000_000)));
        VALUES.put("time(9)", List.of(LocalTime.MIDNIGHT, LocalTime.MAX));
        for (int precision : new int[] {0, 3, 6, 9}) {
            List<LocalDateTime> timestamps = timestamps(precision);
            VALUES.put("timestamp(" + precision + ")", List.copyOf(timestamps));
            VALUES.put(
                    "timestamp(" + precision + ") with time zone",
                    timestamps.stream()
                            .<Object>map(value -> value.toInstant(java.time.ZoneOffset.UTC))
                            .toList());
        }
        VALUES.put("time(12)", List.of(BigDecimal.ZERO, new BigDecimal("86399.999999999999")));
        for (int precision : new int[] {7, 9}) {
            List<LocalDateTime> timestamps = new ArrayList<>(timestamps(precision));
            int fraction = precision == 9 ? 999_999_999 : 999_999_900;
            timestamps.add(LocalDateTime.of(1, 1, 1, 0, 0, 0));
            timestamps.add(LocalDateTime.of(9999, 12, 31, 23, 59, 59, fraction));
            VALUES.put("wide_timestamp(" + precision + ")", List.copyOf(timestamps));
            VALUES.put(
                    "wide_timestamp(" + precision + ") with time zone",
                    timestamps.stream()
                            .<Object>map(value -> value.toInstant(java.time.ZoneOffset.UTC))
                            .toList());
        }
        VALUES.put(
                "timestamp(12)",
                List.of(
                        new BigDecimal("-9223372036854.775808000000"),
                        new BigDecimal("9223372036854.775807999999"),
                        new BigDecimal("-0.000000000001"),
                        new BigDecimal("1800000000.000000000001"),
                        BigDecimal.ZERO));
        VALUES.put(
                "timestamp(10) with time zone",
                List.of(
                        new BigDecimal("-2251799813685.247"),
                        new BigDecimal("2251799813685.2479999999"),
                        new BigDecimal("-0.0000000001"),
                        BigDecimal.ZERO));
        VALUES.put(
                "array(row(\"w\" wide_timestamp(9), \"p\" timestamp(12) with time zone))",
                List.of(
                        Arrays.asList(
                                null,
                                Arrays.asList(
                                        LocalDateTime.of(1, 2, 3, 4, 5, 6, 7),
                                        new BigDecimal("-0.000000000001")))));
        VALUES.put(
                "uuid",
                List.of(new UUID(0, 0), new UUID(-1, 1), UUID.nameUUIDFromBytes(new byte[1])));
        VALUES.put("json", List.of("null", "{\"a\":[1,2]}"));
        VALUES.put("array(integer)", List.of(List.of(), Arrays.asList(1, null, 3)));
        VALUES.put(
                "array(array(varchar))",
                List.of(List.of(), Arrays.asList(List.of("x"), null, List.of())));
        VALUES.put("array(uuid)", List.of(Arrays.asList(new UUID(1, 2), null)));
        VALUES.put("map(varchar, bigint)", List.of(Map.of(), map("k", 1L, "l", null)));
        VALUES.put("map(uuid, time(6))", List.of(map(new UUID(3, 4), LocalTime.of(1, 2, 3))));
        VALUES.put(
                "row(\"a\" bigint, \"B\" varchar(3))",
                List.of(Arrays.asList(1L, "abc"), Arrays.asList(null, null)));
        VALUES.put(
                "row(\"r\" row(\"u\" uuid, \"t\" time(9)), \"l\" array(timestamp(9)))",
                List.of(
                        Arrays.asList(
                                Arrays.asList(new UUID(5, 6), LocalTime.of(4, 5, 6, 7)),
                                List.of(LocalDateTime.of(1969, 12, 31, 23, 59, 59, 1))),
                        Arrays.asList(null, List.of())));
    }

    private AllTypes() {}

    /** The types, as text. */
    public static List<String> types() {
        return List.copyOf(VALUES.keySet());
    }

    /** A table without a primary key: column {@code id}, then c1, c2 ... of every type. */
    public static TableSchema table() {
        List<ColumnSchema> columns = new ArrayList<>();
        columns.add(new ColumnSchema(1, "id", DataType.parse("bigint")).notNull());
        for (String type : VALUES.keySet()) {
            columns.add(
                    new ColumnSchema(
                            columns.size() + 1, "c" + columns.size(), DataType.parse(type)));
        }
        return TableSchema.builder("s", "all_types")
                .id(new TableId(7))
                .columns(columns)
                .shardCount(4)
                .build();
    }

    /** Rows of {@link #table}: each value of each type, and nulls. */
    public static List<byte[]> rows() {
        RowLayout layout = RowLayout.of(table().columns());
        int rowCount = VALUES.values().stream().mapToInt(List::size).max().orElseThrow() + 1;
        List<byte[]> rows = new ArrayList<>();
        for (int row = 0; row < rowCount; row++) {
            List<Object> values = new ArrayList<>();
            values.add((long) row);
            for (List<Object> choices : VALUES.values()) {
                values.add(row < choices.size() ? choices.get(row) : null);
            }
            rows.add(Rows.toBytes(layout, values.toArray()));
        }
        return rows;
    }

    /**
     * Around 1970, and far from it; fractions of a second before 1970 are where ORC writers differ.
     */
    private static List<LocalDateTime> timestamps(int precision) {
        int unit = (int) Math.pow(10, 9 - precision);
        int fraction = precision == 0 ? 0 : 999_999_999 / unit * unit;
        List<LocalDateTime> values = new ArrayList<>();
        values.add(LocalDateTime.of(1970, 1, 1, 0, 0, 0));
        values.add(LocalDateTime.of(1969, 12, 31, 23, 59, 59, fraction));
        values.add(LocalDateTime.of(1969, 12, 31, 23, 59, 58, precision == 0 ? 0 : unit));
        values.add(LocalDateTime.of(1700, 2, 28, 12, 0, 1, fraction));
        values.add(LocalDateTime.of(2038, 1, 19, 3, 14, 8, fraction));
        if (precision <= 6) {
            values.add(LocalDateTime.of(1, 1, 1, 0, 0, 0));
            values.add(LocalDateTime.of(9999, 12, 31, 23, 59, 59, fraction));
        }
        return values;
    }

    private static Map<Object, Object> map(Object... entries) {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int index = 0; index < entries.length; index += 2) {
            map.put(entries[index], entries[index + 1]);
        }
        return map;
    }
}
