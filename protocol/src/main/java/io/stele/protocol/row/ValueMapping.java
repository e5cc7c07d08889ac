package io.stele.protocol.row;

import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IdentifiedType;
import io.stele.protocol.schema.IdentifiedType.Child;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.TypeWidening;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A conversion of binary values from one type to an equal or wider type after ALTER TABLE, as a
 * tree as deep as the type. Immutable.
 */
abstract class ValueMapping {
    /** The mapping of values of {@code from} to values of {@code to}. */
    static ValueMapping of(IdentifiedType from, IdentifiedType to) {
        boolean sameKind = from.type().kind() == to.type().kind();
        ValueMapping nested =
                !sameKind
                        ? null
                        : switch (to.type().kind()) {
                            case ROW -> Fields.of(from, to);
                            case ARRAY -> new Elements(part(from, to, 0));
                            case MAP -> new Pairs(part(from, to, 0), part(from, to, 1));
                            default -> null;
                        };
        if (nested != null) {
            return nested.isSameBytes() ? new Copy() : nested;
        }
        return scalar(from.type(), to.type());
    }

    private static ValueMapping part(IdentifiedType from, IdentifiedType to, int child) {
        return of(from.children().get(child).type(), to.children().get(child).type());
    }

    private static ValueMapping scalar(DataType from, DataType to) {
        if (!TypeWidening.isWidening(from, to)) {
            throw new IllegalArgumentException(
                    "Expected a type that holds every value of " + from + ", found " + to);
        }
        if (from.form() == to.form()) {
            return new Copy();
        }
        if (to.form().isLong()) {
            return new WidenLong();
        }
        return to.form() == PhysicalForm.INT128 ? new WidenInt128() : new WidenReal();
    }

    /** Maps a value to the value at {@code index} of the target, null for null. */
    final void map(BinaryValues source, int sourceIndex, ValueEncoder target, int index) {
        if (!source.isNull(sourceIndex)) {
            mapValue(source, sourceIndex, target, index);
        }
    }

    abstract void mapValue(BinaryValues source, int sourceIndex, ValueEncoder target, int index);

    /** Whether values have equal bytes in both types. */
    boolean isSameBytes() {
        return false;
    }

    private static final class Copy extends ValueMapping {
        @Override
        void mapValue(BinaryValues source, int sourceIndex, ValueEncoder target, int index) {
            target.copyBytes(index, source, sourceIndex);
        }

        @Override
        boolean isSameBytes() {
            return true;
        }
    }

    private static final class WidenLong extends ValueMapping {
        @Override
        void mapValue(BinaryValues source, int sourceIndex, ValueEncoder target, int index) {
            target.setLong(index, source.longAt(sourceIndex));
        }
    }

    /** A conversion of 64 bits to 128: of short decimals to long ones, and of nanoseconds. */
    private static final class WidenInt128 extends ValueMapping {
        @Override
        void mapValue(BinaryValues source, int sourceIndex, ValueEncoder target, int index) {
            long unscaled = source.longAt(sourceIndex);
            target.setInt128(index, unscaled >> 63, unscaled);
        }
    }

    private static final class WidenReal extends ValueMapping {
        @Override
        void mapValue(BinaryValues source, int sourceIndex, ValueEncoder target, int index) {
            target.setDouble(index, source.floatAt(sourceIndex));
        }
    }

    private static final class Fields extends ValueMapping {
        private final int[] positions;
        private final List<@Nullable ValueMapping> values;
        private final boolean sameBytes;

        private Fields(int[] positions, List<@Nullable ValueMapping> values, boolean sameBytes) {
            this.positions = positions;
            this.values = values;
            this.sameBytes = sameBytes;
        }

        static Fields of(IdentifiedType from, IdentifiedType to) {
            int count = to.children().size();
            int[] positions = new int[count];
            List<@Nullable ValueMapping> values = new ArrayList<>();
            boolean same = from.children().size() == count;
            for (int i = 0; i < count; i++) {
                Child field = to.children().get(i);
                positions[i] = position(from.children(), field.id());
                ValueMapping value =
                        positions[i] < 0
                                ? null
                                : ValueMapping.of(
                                        from.children().get(positions[i]).type(), field.type());
                values.add(value);
                same &= value != null && positions[i] == i && value.isSameBytes();
            }
            return new Fields(positions, values, same);
        }

        private static int position(List<Child> fields, int id) {
            for (int i = 0; i < fields.size(); i++) {
                if (fields.get(i).id() == id) {
                    return i;
                }
            }
            return -1;
        }

        @Override
        void mapValue(BinaryValues source, int sourceIndex, ValueEncoder target, int index) {
            BinaryRow fields = source.rowAt(sourceIndex);
            RowEncoder row = target.beginRow(index);
            for (int i = 0; i < positions.length; i++) {
                ValueMapping value = values.get(i);
                if (value != null) {
                    value.map(fields, positions[i], row, i);
                }
            }
            row.end();
        }

        @Override
        boolean isSameBytes() {
            return sameBytes;
        }
    }

    private static final class Elements extends ValueMapping {
        private final ValueMapping element;

        Elements(ValueMapping element) {
            this.element = element;
        }

        @Override
        void mapValue(BinaryValues source, int sourceIndex, ValueEncoder target, int index) {
            BinaryArray elements = source.arrayAt(sourceIndex);
            ArrayEncoder array = target.beginArray(index, elements.count());
            mapAll(element, elements, array);
            array.end();
        }

        static void mapAll(ValueMapping element, BinaryArray source, ArrayEncoder target) {
            for (int i = 0; i < source.count(); i++) {
                element.map(source, i, target, i);
            }
        }

        @Override
        boolean isSameBytes() {
            return element.isSameBytes();
        }
    }

    private static final class Pairs extends ValueMapping {
        private final ValueMapping key;
        private final ValueMapping value;

        Pairs(ValueMapping key, ValueMapping value) {
            this.key = key;
            this.value = value;
        }

        @Override
        void mapValue(BinaryValues source, int sourceIndex, ValueEncoder target, int index) {
            BinaryMap pairs = source.mapAt(sourceIndex);
            MapEncoder map = target.beginMap(index, pairs.count());
            ArrayEncoder keys = map.beginKeys();
            Elements.mapAll(key, pairs.keys(), keys);
            keys.end();
            ArrayEncoder values = map.beginValues();
            Elements.mapAll(value, pairs.values(), values);
            values.end();
            map.end();
        }

        @Override
        boolean isSameBytes() {
            return key.isSameBytes() && value.isSameBytes();
        }
    }
}
