package io.stele.connector.type;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;
import static io.trino.spi.type.VarbinaryType.VARBINARY;
import static io.trino.spi.type.VarcharType.VARCHAR;

import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import io.trino.orc.OrcReader;
import io.trino.spi.block.Block;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Decimals;
import io.trino.spi.type.Int128;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.StandardTypes;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeOperators;
import io.trino.spi.type.UuidType;
import io.trino.spi.type.VarcharType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The mapping between Trino types and the value types of Stele's ORC files, as trino-orc reads and
 * writes them.
 *
 * <p>Most types are read without conversion. Times and timestamps are integers (docs/decisions:
 * ORC's own timestamps lose fractions of seconds before 1970). Wide timestamps are decimal seconds,
 * UUIDs are 16 bytes, and JSON is text.
 */
public final class OrcTypes {
    private static final TypeOperators TYPE_OPERATORS = new TypeOperators();
    private static final int MAX_NANOS_PRECISION =
            io.stele.protocol.schema.TimeType.MAX_NANOS_PRECISION;
    private static final String FIELD_PREFIX = "f";

    private OrcTypes() {}

    /** The conversions of one column between files and SQL. Stateless. */
    public static final class Mapping {
        private final Type fileType;
        private final BlockConverter fromFile;
        private final BlockConverter toFile;

        private Mapping(Type fileType, BlockConverter fromFile, BlockConverter toFile) {
            this.fileType = fileType;
            this.fromFile = fromFile;
            this.toFile = toFile;
        }

        /** The mapping of the same file's values to a later schema version. */
        Mapping evolved(BlockConverter evolution) {
            return evolution == BlockConverter.IDENTITY
                    ? this
                    : new Mapping(fileType, block -> evolution.convert(fromFile(block)), toFile);
        }

        /** The type that trino-orc reads and writes. */
        public Type fileType() {
            return fileType;
        }

        /** Whether blocks of the file are blocks of SQL already. */
        public boolean isIdentity() {
            return fromFile == BlockConverter.IDENTITY;
        }

        public Block fromFile(Block block) {
            return isIdentity() ? block : fromFile.convert(block);
        }

        public Block toFile(Block block) {
            return isIdentity() ? block : toFile.convert(block);
        }
    }

    /** Fields of rows are matched by position: names may be absent, or differ in case only. */
    public static OrcReader.FieldMapperFactory fieldMapper() {
        return column ->
                name ->
                        column.getNestedColumns()
                                .get(
                                        Integer.parseInt(
                                                name, FIELD_PREFIX.length(), name.length(), 10));
    }

    /**
     * @param stored what the values are stored as
     * @param type their type in SQL
     */
    public static Mapping mapping(DataType stored, Type type) {
        if (stored instanceof io.stele.protocol.schema.TimestampType timestamp
                && timestamp.isWide()) {
            WideTimes times = new WideTimes(timestamp);
            return new Mapping(
                    seconds(timestamp),
                    BlockConverter.wideToTimestamps(times),
                    BlockConverter.timestampsToWide(times));
        }
        return switch (type) {
            case TimeType time when time.getPrecision() > MAX_NANOS_PRECISION -> identity(BIGINT);
            case TimeType _ ->
                    new Mapping(
                            BIGINT,
                            BlockConverter.multiply(PICOSECONDS_PER_NANOSECOND),
                            BlockConverter.divide(PICOSECONDS_PER_NANOSECOND));
            case UuidType _ ->
                    new Mapping(
                            VARBINARY, BlockConverter.bytesToUuid(), BlockConverter.uuidToBytes());
            // Lengths were checked when the values were written
            case VarcharType _ -> identity(VARCHAR);
            case TimestampType timestamp ->
                    timestamp.isShort()
                            ? identity(BIGINT)
                            : new Mapping(
                                    BIGINT,
                                    BlockConverter.nanosToTimestamps(),
                                    BlockConverter.timestampsToNanos());
            case TimestampWithTimeZoneType timestamp ->
                    new Mapping(
                            BIGINT,
                            BlockConverter.storedToInstants(timestamp.getPrecision()),
                            BlockConverter.instantsToStored(timestamp.getPrecision()));
            case ArrayType array -> arrayMapping(stored, array);
            case MapType map -> mapMapping(stored, map);
            case RowType row -> rowMapping(stored, row);
            default -> identity(type.getBaseName().equals(StandardTypes.JSON) ? VARCHAR : type);
        };
    }

    /**
     * A domain of an orderable type in terms of the file's values, for the file's own statistics;
     * absent where these are in another order or form.
     */
    public static Optional<Domain> fileDomain(DataType stored, Type type, Domain domain) {
        return switch (stored.kind()) {
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    DECIMAL,
                    VARCHAR,
                    DATE ->
                    Optional.of(domain);
            case TIME, TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                    Optional.of(numbers(ValueCodec.of(stored), stored, type, domain));
            case CHAR, VARBINARY, UUID, JSON, ARRAY, MAP, ROW -> Optional.empty();
        };
    }

    /** Wide timestamps in files: seconds since 1970. */
    private static Type seconds(io.stele.protocol.schema.TimestampType timestamp) {
        return DecimalType.createDecimalType(Decimals.MAX_PRECISION, timestamp.scale());
    }

    private static Domain numbers(ValueCodec codec, DataType stored, Type type, Domain domain) {
        boolean isWide = stored.form() == PhysicalForm.INT128;
        Type fileType = isWide ? seconds((io.stele.protocol.schema.TimestampType) stored) : BIGINT;
        Function<Object, Object> number =
                value -> {
                    byte[] encoded = NativeValues.encode(stored, type, value);
                    return isWide
                            ? Int128.valueOf(codec.decodeHigh(encoded), codec.decodeLow(encoded))
                            : (Object) codec.decodeLong(encoded);
                };
        List<Range> ranges = new ArrayList<>();
        for (Range range : domain.getValues().getRanges().getOrderedRanges()) {
            ranges.add(mapped(range, fileType, number));
        }
        ValueSet values = ranges.isEmpty() ? ValueSet.none(fileType) : ValueSet.ofRanges(ranges);
        return Domain.create(values, domain.isNullAllowed());
    }

    private static Range mapped(Range range, Type fileType, Function<Object, Object> mapping) {
        if (range.isAll()) {
            return Range.all(fileType);
        }
        if (range.isLowUnbounded()) {
            Object high = mapping.apply(range.getHighBoundedValue());
            return range.isHighInclusive()
                    ? Range.lessThanOrEqual(fileType, high)
                    : Range.lessThan(fileType, high);
        }
        Object low = mapping.apply(range.getLowBoundedValue());
        if (range.isHighUnbounded()) {
            return range.isLowInclusive()
                    ? Range.greaterThanOrEqual(fileType, low)
                    : Range.greaterThan(fileType, low);
        }
        return Range.range(
                fileType,
                low,
                range.isLowInclusive(),
                mapping.apply(range.getHighBoundedValue()),
                range.isHighInclusive());
    }

    private static Mapping identity(Type type) {
        return new Mapping(type, BlockConverter.IDENTITY, BlockConverter.IDENTITY);
    }

    private static Mapping arrayMapping(DataType stored, ArrayType type) {
        Mapping element =
                mapping(
                        ((io.stele.protocol.schema.ArrayType) stored).element(),
                        type.getElementType());
        Type fileType = new ArrayType(element.fileType);
        return element.isIdentity()
                ? identity(fileType)
                : new Mapping(
                        fileType,
                        BlockConverter.array(element.fromFile),
                        BlockConverter.array(element.toFile));
    }

    /** Never the identity: a map's block has its own type, which differs from the file's. */
    private static Mapping mapMapping(DataType stored, MapType type) {
        io.stele.protocol.schema.MapType map = (io.stele.protocol.schema.MapType) stored;
        Mapping key = mapping(map.key(), type.getKeyType());
        Mapping value = mapping(map.value(), type.getValueType());
        MapType fileType = new MapType(key.fileType, value.fileType, TYPE_OPERATORS);
        if (fileType.equals(type) && key.isIdentity() && value.isIdentity()) {
            return identity(type);
        }
        return new Mapping(
                fileType,
                BlockConverter.map(key.fromFile, value.fromFile, type),
                BlockConverter.map(key.toFile, value.toFile, fileType));
    }

    private static Mapping rowMapping(DataType stored, RowType type) {
        List<io.stele.protocol.schema.RowType.Field> storedFields =
                ((io.stele.protocol.schema.RowType) stored).fields();
        List<Mapping> fields = new ArrayList<>();
        for (int i = 0; i < storedFields.size(); i++) {
            fields.add(mapping(storedFields.get(i).type(), type.getFieldTypes().get(i)));
        }
        RowType fileType = fileRow(fields);
        if (fields.stream().allMatch(Mapping::isIdentity)) {
            return identity(fileType);
        }
        return new Mapping(
                fileType,
                BlockConverter.row(fields.stream().map(field -> field.fromFile).toList()),
                BlockConverter.row(fields.stream().map(field -> field.toFile).toList()));
    }

    private static RowType fileRow(List<Mapping> fields) {
        List<RowType.Field> fileFields = new ArrayList<>(fields.size());
        for (int index = 0; index < fields.size(); index++) {
            fileFields.add(RowType.field(FIELD_PREFIX + index, fields.get(index).fileType));
        }
        return RowType.from(fileFields);
    }
}
