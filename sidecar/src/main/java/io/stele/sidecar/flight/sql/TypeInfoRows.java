package io.stele.sidecar.flight.sql;

import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowColumnBuilder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowType;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.VarcharType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.flight.sql.impl.FlightSql.XdbcDataType;
import org.jspecify.annotations.Nullable;

/**
 * The reply to Flight SQL's CommandGetXdbcTypeInfo, which describes Stele's types as ODBC and JDBC
 * do. Stateless.
 */
final class TypeInfoRows {
    private static final int NULLABLE = 1;
    private static final int SEARCHABLE_FULLY = 3;
    private static final int SEARCHABLE_BASICALLY = 2; // not with LIKE
    private static final int DATETIME = XdbcDataType.XDBC_DATETIME_VALUE;
    private static final int DECIMAL_RADIX = 10;
    private static final int BINARY_RADIX = 2;

    private static final List<Type> TYPES =
            List.of(
                    new Type("boolean", XdbcDataType.XDBC_BIT_VALUE, 1),
                    new Type("tinyint", XdbcDataType.XDBC_TINYINT_VALUE, 3).number(10, 0),
                    new Type("bigint", XdbcDataType.XDBC_BIGINT_VALUE, 19).number(10, 0),
                    new Type("varbinary", XdbcDataType.XDBC_VARBINARY_VALUE, null)
                            .literal("'\\x", "'"),
                    new Type("uuid", XdbcDataType.XDBC_BINARY_VALUE, 16).literal("'", "'"),
                    new Type("char", XdbcDataType.XDBC_CHAR_VALUE, 65_536)
                            .literal("'", "'")
                            .of("length"),
                    new Type("decimal", XdbcDataType.XDBC_DECIMAL_VALUE, 38)
                            .number(DECIMAL_RADIX, 38)
                            .of("precision", "scale"),
                    new Type("integer", XdbcDataType.XDBC_INTEGER_VALUE, 10).number(10, 0),
                    new Type("smallint", XdbcDataType.XDBC_SMALLINT_VALUE, 5).number(10, 0),
                    new Type("real", XdbcDataType.XDBC_REAL_VALUE, 24).number(BINARY_RADIX, null),
                    new Type("double", XdbcDataType.XDBC_DOUBLE_VALUE, 53)
                            .number(BINARY_RADIX, null),
                    new Type("varchar", XdbcDataType.XDBC_VARCHAR_VALUE, null)
                            .literal("'", "'")
                            .of("length"),
                    new Type("json", XdbcDataType.XDBC_VARCHAR_VALUE, null).literal("'", "'"),
                    new Type("date", XdbcDataType.XDBC_DATE_VALUE, 10).literal("'", "'").time(1),
                    new Type("time", XdbcDataType.XDBC_TIME_VALUE, 21)
                            .literal("'", "'")
                            .of("precision")
                            .time(2),
                    new Type("timestamp", XdbcDataType.XDBC_TIMESTAMP_VALUE, 32)
                            .literal("'", "'")
                            .of("precision")
                            .time(3));

    /**
     * @param subcode of dates and times
     */
    private record Type(
            String name,
            int code,
            @Nullable Integer size,
            @Nullable String prefix,
            @Nullable String suffix,
            List<String> parameters,
            @Nullable Integer radix,
            @Nullable Integer maxScale,
            @Nullable Integer subcode) {
        Type(String name, int code, @Nullable Integer size) {
            this(name, code, size, null, null, List.of(), null, null, null);
        }

        Type literal(String before, String after) {
            return new Type(name, code, size, before, after, parameters, radix, maxScale, subcode);
        }

        Type of(String... names) {
            return new Type(
                    name, code, size, prefix, suffix, List.of(names), radix, maxScale, subcode);
        }

        Type number(int base, @Nullable Integer scale) {
            return new Type(name, code, size, prefix, suffix, parameters, base, scale, subcode);
        }

        Type time(int code) {
            return new Type(
                    name, this.code, size, prefix, suffix, parameters, radix, maxScale, code);
        }
    }

    private TypeInfoRows() {}

    /**
     * The types in the order of their codes; empty: there are none.
     *
     * @param code the code of the wanted types; empty: all types
     */
    static Optional<ArrowMessage> rows(Optional<Integer> code) {
        List<ArrowField> fields = new ArrayList<>();
        for (DataType type : columnTypes()) {
            fields.add(new ArrowField(0, "column", ArrowType.of(type), true));
        }
        ArrowBatchEncoder encoder = new ArrowBatchEncoder(fields);
        TYPES.stream()
                .filter(type -> code.isEmpty() || code.get() == type.code())
                .sorted(java.util.Comparator.comparingInt(Type::code))
                .forEach(type -> append(type, encoder));
        return encoder.rowCount() == 0 ? Optional.empty() : Optional.of(encoder.finish());
    }

    private static List<DataType> columnTypes() {
        return List.of(
                VarcharType.VARCHAR,
                ScalarType.INTEGER,
                ScalarType.INTEGER,
                VarcharType.VARCHAR,
                VarcharType.VARCHAR,
                new ArrayType(VarcharType.VARCHAR),
                ScalarType.INTEGER,
                ScalarType.BOOLEAN,
                ScalarType.INTEGER,
                ScalarType.BOOLEAN,
                ScalarType.BOOLEAN,
                ScalarType.BOOLEAN,
                VarcharType.VARCHAR,
                ScalarType.INTEGER,
                ScalarType.INTEGER,
                ScalarType.INTEGER,
                ScalarType.INTEGER,
                ScalarType.INTEGER,
                ScalarType.INTEGER);
    }

    private static void append(Type type, ArrowBatchEncoder encoder) {
        boolean isText =
                type.code() == XdbcDataType.XDBC_VARCHAR_VALUE
                        || type.code() == XdbcDataType.XDBC_CHAR_VALUE;
        boolean isNumber = type.radix() != null;
        Integer minScale = type.maxScale() == null ? null : Integer.valueOf(0);
        @Nullable Object[] values = {
            type.name(),
            type.code(),
            type.size(),
            type.prefix(),
            type.suffix(),
            type.parameters(),
            NULLABLE,
            isText,
            isText ? SEARCHABLE_FULLY : SEARCHABLE_BASICALLY,
            isNumber ? Boolean.FALSE : null,
            isNumber && type.maxScale() != null,
            isNumber ? Boolean.FALSE : null,
            type.name(),
            minScale,
            type.maxScale(),
            type.subcode() == null ? type.code() : DATETIME,
            type.subcode(),
            type.radix(),
            null
        };
        for (int i = 0; i < values.length; i++) {
            append(values[i], encoder.column(i));
        }
    }

    private static void append(@Nullable Object value, ArrowColumnBuilder column) {
        switch (value) {
            case null -> column.appendNull();
            case Integer number -> column.appendLong(number);
            case Boolean truth -> column.appendBoolean(truth);
            case List<?> texts -> {
                texts.forEach(text -> append(text, column.elements()));
                column.endList();
            }
            default -> {
                byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
                column.appendBytes(bytes, 0, bytes.length);
            }
        }
    }
}
