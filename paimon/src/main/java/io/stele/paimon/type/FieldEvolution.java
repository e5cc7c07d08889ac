package io.stele.paimon.type;

import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.TimeType.TIME_MILLIS;
import static io.trino.spi.type.TimestampType.createTimestampType;
import static io.trino.spi.type.TimestampWithTimeZoneType.createTimestampWithTimeZoneType;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MILLISECOND;
import static java.util.Objects.requireNonNull;

import io.trino.spi.type.FixedWidthType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TimeZone;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;

/**
 * The schema evolution rules by which a reader converts a file's values to the scan's types, with
 * fields matched by id at all levels. Immutable.
 */
final class FieldEvolution {
    private final FileFormat format;
    private final Optional<TimeZone> zone;

    /**
     * @param zone the zone of the wall clock by which moments were stored; empty: they were stored
     *     as they are
     */
    FieldEvolution(FileFormat format, Optional<TimeZone> zone) {
        this.format = requireNonNull(format, "format is null");
        this.zone = requireNonNull(zone, "zone is null");
    }

    /** The values of a field; empty: left to Paimon's reader. */
    Optional<StoredField> find(DataType file, DataType wanted) {
        return switch (wanted) {
            case RowType row when file instanceof RowType stored -> row(stored, row);
            case ArrayType array when file instanceof ArrayType stored -> array(stored, array);
            case MapType map when file instanceof MapType stored ->
                    map(
                            stored,
                            stored.getKeyType(),
                            stored.getValueType(),
                            map.getKeyType(),
                            map.getValueType());
            // Paimon writes none to ORC
            case MultisetType _ when format == FileFormat.ORC -> Optional.empty();
            case MultisetType set when file instanceof MultisetType stored ->
                    map(
                            stored,
                            stored.getElementType(),
                            DataTypes.INT(),
                            set.getElementType(),
                            DataTypes.INT());
            default -> value(file, wanted);
        };
    }

    private Optional<StoredField> value(DataType file, DataType wanted) {
        Optional<Type> fileType = PaimonTypes.find(file);
        Optional<Type> wantedType = PaimonTypes.find(wanted);
        if (fileType.isEmpty() || wantedType.isEmpty()) {
            return Optional.empty();
        }
        return ValueCasts.find(file, wanted, fileType.get(), wantedType.get())
                .map(
                        cast -> {
                            Type stored = stored(fileType.get());
                            return new StoredField(
                                    file, stored, decoded(fileType.get()).then(cast));
                        });
    }

    /**
     * The type to decode stored values with; files have times and moments in a few precisions only.
     */
    private Type stored(Type type) {
        return switch (type) {
            case io.trino.spi.type.TimeType _ -> format == FileFormat.ORC ? INTEGER : TIME_MILLIS;
            case TimestampType timestamp -> createTimestampType(digits(timestamp.getPrecision()));
            case TimestampWithTimeZoneType moment ->
                    createTimestampWithTimeZoneType(digits(moment.getPrecision()));
            default -> type;
        };
    }

    private static int digits(int precision) {
        return precision <= 3 ? 3 : precision <= 6 ? 6 : 9;
    }

    private BlockCast decoded(Type type) {
        return switch (type) {
            case io.trino.spi.type.TimeType time when format == FileFormat.ORC ->
                    BlockCast.ofValues(
                            time,
                            (block, position, target) ->
                                    time.writeLong(
                                            target,
                                            INTEGER.getLong(block, position)
                                                    * PICOSECONDS_PER_MILLISECOND));
            case TimestampType timestamp when format == FileFormat.ORC ->
                    (timestamp.getPrecision() <= 3
                                    ? BlockCast.NONE
                                    : OrcSeconds.corrected(timestamp))
                            .then(ValueCasts.truncated(timestamp));
            case TimestampType timestamp -> ValueCasts.truncated(timestamp);
            case TimestampWithTimeZoneType moment when format == FileFormat.ORC ->
                    OrcSeconds.corrected(moment)
                            .then(
                                    zone.map(shift -> ValueCasts.shifted(moment, shift))
                                            .orElse(BlockCast.NONE))
                            .then(ValueCasts.truncated(moment));
            case TimestampWithTimeZoneType moment -> ValueCasts.truncated(moment);
            default -> BlockCast.NONE;
        };
    }

    private Optional<StoredField> row(RowType file, RowType wanted) {
        List<DataField> kept = new ArrayList<>();
        List<io.trino.spi.type.RowType.Field> stored = new ArrayList<>();
        List<NestedCasts.Field> fields = new ArrayList<>();
        for (DataField field : wanted.getFields()) {
            Optional<Type> type = PaimonTypes.find(field.type());
            if (type.isEmpty()) {
                return Optional.empty();
            }
            if (!file.containsField(field.id())) {
                fields.add(new NestedCasts.Field(-1, BlockCast.NONE, type.get()));
                continue;
            }
            DataField written = file.getField(field.id());
            Optional<StoredField> child = find(written.type(), field.type());
            if (child.isEmpty()) {
                return Optional.empty();
            }
            fields.add(new NestedCasts.Field(kept.size(), child.get().cast(), type.get()));
            kept.add(written.newType(child.get().file()));
            stored.add(
                    io.trino.spi.type.RowType.field(
                            format.fieldName(written.name()), child.get().stored()));
        }
        if (kept.isEmpty() && !addWitness(file, kept, stored)) {
            return Optional.empty();
        }
        return Optional.of(
                new StoredField(
                        new RowType(file.isNullable(), kept),
                        io.trino.spi.type.RowType.from(stored),
                        NestedCasts.row(fields)));
    }

    /**
     * Adds a field of the file that nobody wants, since only a stored field shows whether a row is
     * null; one of fixed width, if there is one, which takes the fewest bytes.
     *
     * @return false: the file has none that can be read
     */
    private boolean addWitness(
            RowType file, List<DataField> kept, List<io.trino.spi.type.RowType.Field> stored) {
        List<DataField> fields = new ArrayList<>(file.getFields());
        fields.sort(
                Comparator.comparingInt(
                        field ->
                                PaimonTypes.find(field.type())
                                                .filter(FixedWidthType.class::isInstance)
                                                .isPresent()
                                        ? 0
                                        : 1));
        for (DataField field : fields) {
            Optional<StoredField> found = find(field.type(), field.type());
            if (found.isPresent()) {
                kept.add(field.newType(found.get().file()));
                stored.add(
                        io.trino.spi.type.RowType.field(
                                format.fieldName(field.name()), found.get().stored()));
                return true;
            }
        }
        return false;
    }

    private Optional<StoredField> array(ArrayType file, ArrayType wanted) {
        return find(file.getElementType(), wanted.getElementType())
                .map(
                        elements ->
                                new StoredField(
                                        file.newElementType(elements.file()),
                                        new io.trino.spi.type.ArrayType(elements.stored()),
                                        NestedCasts.array(elements.cast())));
    }

    private Optional<StoredField> map(
            DataType file,
            DataType fileKeys,
            DataType fileValues,
            DataType wantedKeys,
            DataType wantedValues) {
        // Else different keys could become equal
        Optional<StoredField> keys =
                fileKeys.equalsIgnoreNullable(wantedKeys)
                        ? find(fileKeys, wantedKeys)
                        : Optional.empty();
        Optional<StoredField> values = find(fileValues, wantedValues);
        Optional<Type> keyType = PaimonTypes.find(wantedKeys).filter(Type::isComparable);
        Optional<Type> valueType = PaimonTypes.find(wantedValues);
        if (keys.isEmpty() || values.isEmpty() || keyType.isEmpty() || valueType.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new StoredField(
                        file,
                        PaimonTypes.map(keys.get().stored(), values.get().stored()),
                        NestedCasts.map(
                                PaimonTypes.map(keyType.get(), valueType.get()),
                                keys.get().cast(),
                                values.get().cast())));
    }
}
