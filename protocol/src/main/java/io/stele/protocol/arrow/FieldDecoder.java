package io.stele.protocol.arrow;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.arrow.ArrowType.Form;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.RowType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.VarcharType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of the fields of an Arrow schema into Stele's types. A field that another Arrow library
 * wrote is decoded by its Arrow type. Stele's own type text, where it is present and has exactly
 * that Arrow type, refines the type (timestamp(3), varchar(10), char).
 */
final class FieldDecoder {
    private static final String EXTENSION_KEY = "ARROW:extension:name";

    private FieldDecoder() {}

    static ArrowField decode(Field field) {
        return new ArrowField(id(field), name(field), refined(field, 0), field.nullable());
    }

    private static String name(Field field) {
        return Objects.requireNonNullElse(field.name(), "");
    }

    private static int id(Field field) {
        Optional<String> text = metadata(field, FieldEncoder.ID_KEY);
        try {
            return text.map(Integer::parseInt).orElse(0);
        } catch (NumberFormatException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a number as "
                            + FieldEncoder.ID_KEY
                            + " of Arrow field '"
                            + name(field)
                            + "', found "
                            + text.orElse(""),
                    e);
        }
    }

    private static Optional<String> metadata(Field field, String key) {
        for (int i = 0; i < field.customMetadataLength(); i++) {
            KeyValue entry = field.customMetadata(i);
            if (key.equals(entry.key())) {
                return Optional.ofNullable(entry.value());
            }
        }
        return Optional.empty();
    }

    private static ArrowType refined(Field field, int depth) {
        if (field.dictionary() != null) {
            throw refused(field, "a dictionary-encoded field");
        }
        ArrowType found = type(field, depth);
        Optional<String> text = metadata(field, FieldEncoder.TYPE_KEY);
        if (text.isEmpty() || !found.isNative()) {
            return found;
        }
        ArrowType declared = ArrowType.of(DataType.parse(text.get()));
        return sameBuffers(found, declared) ? declared : found;
    }

    /** Whether two types differ only in a property that Arrow does not represent. */
    private static boolean sameBuffers(ArrowType found, ArrowType declared) {
        if (found.form() != declared.form()
                || found.children().size() != declared.children().size()) {
            return false;
        }
        boolean sameMeaning =
                switch (found.form()) {
                    case BOOLEAN, INT8, INT16, INT32, FLOAT32, FLOAT64, FIXED16 ->
                            found.type().equals(declared.type());
                    case DECIMAL128 ->
                            ArrowType.decimal(found.type())
                                    .equals(ArrowType.decimal(declared.type()));
                    case INT64 -> sameUnit(found.type(), declared.type());
                    case NULL -> false;
                    case BYTES -> found.isText() == declared.isText();
                    case LIST, MAP, STRUCT -> true;
                };
        for (int i = 0; sameMeaning && i < found.children().size(); i++) {
            sameMeaning = sameBuffers(found.children().get(i), declared.children().get(i));
        }
        return sameMeaning;
    }

    private static boolean sameUnit(DataType found, DataType declared) {
        if (found instanceof TimestampType left && declared instanceof TimestampType right) {
            return left.isNanos() == right.isNanos() && left.withTimeZone() == right.withTimeZone();
        }
        return found.kind() == declared.kind();
    }

    private static ArrowType type(Field field, int depth) {
        if (depth > DataType.MAX_DEPTH) {
            throw refused(field, "more than " + DataType.MAX_DEPTH + " levels of nesting");
        }
        return switch (field.typeType()) {
            case Type.Null -> new ArrowType(Form.NULL, VarcharType.VARCHAR);
            case Type.Bool -> new ArrowType(Form.BOOLEAN, ScalarType.BOOLEAN);
            case Type.Int -> integer(field, part(field, new Int()));
            case Type.FloatingPoint -> floatingPoint(field, part(field, new FloatingPoint()));
            case Type.Decimal -> decimal(field, part(field, new Decimal()));
            case Type.Utf8, Type.LargeUtf8 -> text(field);
            case Type.Binary -> new ArrowType(Form.BYTES, ScalarType.VARBINARY);
            case Type.LargeBinary ->
                    new ArrowType(Form.BYTES, ScalarType.VARBINARY, 1, true, List.of());
            case Type.Date -> date(field, part(field, new Date()));
            case Type.Time -> time(field, part(field, new Time()));
            case Type.Timestamp -> timestamp(field, part(field, new Timestamp()));
            case Type.FixedSizeBinary -> fixed(field, part(field, new FixedSizeBinary()));
            case Type.List, Type.LargeList -> list(field, depth);
            case Type.Map -> map(field, depth);
            case Type.Struct_ -> struct(field, depth);
            default -> throw refused(field, typeName(field.typeType()));
        };
    }

    private static <T extends com.google.flatbuffers.Table> T part(Field field, T type) {
        if (field.type(type) == null) {
            throw refused(field, "no parameters of type " + typeName(field.typeType()));
        }
        return type;
    }

    private static ArrowType integer(Field field, Int type) {
        if (!type.isSigned()) {
            throw refused(field, "an unsigned integer");
        }
        return switch (type.bitWidth()) {
            case 8 -> new ArrowType(Form.INT8, ScalarType.TINYINT);
            case 16 -> new ArrowType(Form.INT16, ScalarType.SMALLINT);
            case 32 -> new ArrowType(Form.INT32, ScalarType.INTEGER);
            case 64 -> new ArrowType(Form.INT64, ScalarType.BIGINT);
            default -> throw refused(field, "an integer of " + type.bitWidth() + " bits");
        };
    }

    private static ArrowType floatingPoint(Field field, FloatingPoint type) {
        return switch (type.precision()) {
            case Precision.SINGLE -> new ArrowType(Form.FLOAT32, ScalarType.REAL);
            case Precision.DOUBLE -> new ArrowType(Form.FLOAT64, ScalarType.DOUBLE);
            default -> throw refused(field, "a half-precision float");
        };
    }

    private static ArrowType decimal(Field field, Decimal type) {
        if (type.bitWidth() != 128) {
            throw refused(field, "a decimal of " + type.bitWidth() + " bits");
        }
        return new ArrowType(Form.DECIMAL128, new DecimalType(type.precision(), type.scale()));
    }

    private static ArrowType text(Field field) {
        boolean isJson = metadata(field, EXTENSION_KEY).filter("arrow.json"::equals).isPresent();
        DataType type = isJson ? ScalarType.JSON : VarcharType.VARCHAR;
        return new ArrowType(Form.BYTES, type, 1, field.typeType() == Type.LargeUtf8, List.of());
    }

    private static ArrowType date(Field field, Date type) {
        if (type.unit() != DateUnit.DAY) {
            throw refused(field, "a date in milliseconds");
        }
        return new ArrowType(Form.INT32, ScalarType.DATE);
    }

    private static ArrowType time(Field field, Time type) {
        Form form = type.bitWidth() == 64 ? Form.INT64 : Form.INT32;
        int precision = precision(field, type.unit());
        long multiplier = powerOfTen(9 - precision);
        return new ArrowType(form, new TimeType(precision), multiplier, false, List.of());
    }

    private static ArrowType timestamp(Field field, Timestamp type) {
        int precision = precision(field, type.unit());
        long multiplier =
                precision > TimestampType.MAX_MICROS_PRECISION ? 1 : powerOfTen(6 - precision);
        boolean zoned = type.timezone() != null && !type.timezone().isEmpty();
        return new ArrowType(
                Form.INT64, new TimestampType(precision, zoned), multiplier, false, List.of());
    }

    private static int precision(Field field, short unit) {
        return switch (unit) {
            case TimeUnit.SECOND -> 0;
            case TimeUnit.MILLISECOND -> 3;
            case TimeUnit.MICROSECOND -> 6;
            case TimeUnit.NANOSECOND -> 9;
            default -> throw refused(field, "time unit " + unit);
        };
    }

    private static long powerOfTen(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }

    private static ArrowType fixed(Field field, FixedSizeBinary type) {
        if (type.byteWidth() != 16) {
            throw refused(field, "fixed-size binary of " + type.byteWidth() + " bytes");
        }
        return new ArrowType(Form.FIXED16, ScalarType.UUID);
    }

    private static ArrowType list(Field field, int depth) {
        ArrowType element = refined(child(field, 0, 1), depth + 1);
        boolean large = field.typeType() == Type.LargeList;
        return new ArrowType(Form.LIST, new ArrayType(element.type()), 1, large, List.of(element));
    }

    private static ArrowType map(Field field, int depth) {
        Field entries = child(field, 0, 1);
        if (entries.typeType() != Type.Struct_) {
            throw refused(field, "a map without a struct of entries");
        }
        ArrowType key = refined(child(entries, 0, 2), depth + 1);
        ArrowType value = refined(child(entries, 1, 2), depth + 1);
        return new ArrowType(
                Form.MAP, new MapType(key.type(), value.type()), 1, false, List.of(key, value));
    }

    private static ArrowType struct(Field field, int depth) {
        int count = field.childrenLength();
        if (count < 1 || count > TableSchema.MAX_COLUMNS) {
            throw refused(field, "a struct of " + count + " fields");
        }
        List<ArrowType> children = new ArrayList<>(count);
        List<RowType.Field> fields = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Field child = child(field, i, count);
            ArrowType type = refined(child, depth + 1);
            children.add(type);
            fields.add(new RowType.Field(Optional.ofNullable(child.name()), type.type()));
        }
        return new ArrowType(Form.STRUCT, new RowType(fields), 1, false, children);
    }

    private static Field child(Field field, int index, int expectedCount) {
        @Nullable Field child =
                field.childrenLength() == expectedCount ? field.children(index) : null;
        if (child == null) {
            throw refused(field, field.childrenLength() + " children");
        }
        return child;
    }

    private static String typeName(byte type) {
        return type >= 0 && type < Type.names.length ? Type.name(type) : "type " + type;
    }

    private static SteleException refused(Field field, String found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected a type that Stele stores in Arrow field '"
                        + name(field)
                        + "', found "
                        + found);
    }
}
