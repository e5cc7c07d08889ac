package io.stele.connector.type;

import io.airlift.slice.Slices;
import io.stele.protocol.arrow.ArrowColumn;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.trino.spi.block.ArrayBlock;
import io.trino.spi.block.Bitmap;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.MapBlock;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.ShortArrayBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.Type;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;

/**
 * A converter of columns of Arrow batches, as sidecars send them, into Trino's blocks. Equal byte
 * layouts are copied as a whole. Stateless.
 */
public final class ArrowBlocks {
    private ArrowBlocks() {}

    /** The block of a column whose type in SQL is {@code type}. */
    public static Block toBlock(ArrowColumn column, Type type) {
        int count = column.count();
        Optional<long[]> valid = validity(column);
        return switch (column.type().kind()) {
            case BOOLEAN -> booleans(column, valid);
            case TINYINT -> {
                byte[] values = new byte[count];
                column.values().get(values);
                yield new ByteArrayBlock(count, valid, values);
            }
            case SMALLINT -> {
                short[] values = new short[count];
                littleEndian(column).asShortBuffer().get(values);
                yield new ShortArrayBlock(count, valid, values);
            }
            case INTEGER, DATE, REAL -> {
                int[] values = new int[count];
                littleEndian(column).asIntBuffer().get(values);
                yield new IntArrayBlock(count, valid, values);
            }
            case BIGINT, DOUBLE -> new LongArrayBlock(count, valid, longs(column));
            case DECIMAL -> decimals(column, ((DecimalType) column.type()).isShort(), valid);
            case VARCHAR, CHAR, VARBINARY, JSON -> {
                byte[] values = new byte[column.values().remaining()];
                column.values().get(values);
                yield new VariableWidthBlock(
                        count, Slices.wrappedBuffer(values), offsets(column), valid);
            }
            case TIME -> times(column, NativeValues.picosPerUnit((TimeType) column.type()), valid);
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                    timestamps(column, (TimestampType) column.type(), valid);
            case UUID -> {
                // 16 bytes unchanged: Trino stores them as two little-endian longs
                long[] values = new long[count * 2];
                littleEndian(column).asLongBuffer().get(values);
                yield new Int128ArrayBlock(count, valid, values);
            }
            case ARRAY -> array(column, (ArrayType) type, valid);
            case MAP -> map(column, (MapType) type, valid);
            case ROW -> row(column, type.getTypeParameters(), valid);
        };
    }

    private static Optional<long[]> validity(ArrowColumn column) {
        if (!column.hasNulls()) {
            return Optional.empty();
        }
        ByteBuffer bits = column.validity();
        long[] words = new long[Bitmap.wordsForBits(column.count())];
        int bytes = Math.min(bits.remaining(), (column.count() + 7) >> 3);
        for (int index = 0; index < bytes; index++) {
            words[index >> 3] |= (bits.get(bits.position() + index) & 0xFFL) << ((index & 7) * 8);
        }
        return Optional.of(words);
    }

    private static ByteBuffer littleEndian(ArrowColumn column) {
        return column.values().order(ByteOrder.LITTLE_ENDIAN);
    }

    private static long[] longs(ArrowColumn column) {
        long[] values = new long[column.count()];
        littleEndian(column).asLongBuffer().get(values);
        return values;
    }

    private static int[] offsets(ArrowColumn column) {
        int[] offsets = new int[column.count() + 1];
        ByteBuffer buffer = column.offsets().order(ByteOrder.LITTLE_ENDIAN);
        if (buffer.hasRemaining()) {
            buffer.asIntBuffer().get(offsets);
        }
        return offsets;
    }

    private static Block booleans(ArrowColumn column, Optional<long[]> valid) {
        byte[] values = new byte[column.count()];
        for (int index = 0; index < values.length; index++) {
            values[index] = (byte) (column.booleanAt(index) ? 1 : 0);
        }
        return new ByteArrayBlock(values.length, valid, values);
    }

    private static Block decimals(ArrowColumn column, boolean isShort, Optional<long[]> valid) {
        return isShort
                ? new LongArrayBlock(column.count(), valid, shortDecimals(column))
                : new Int128ArrayBlock(column.count(), valid, longDecimals(column));
    }

    private static long[] shortDecimals(ArrowColumn column) {
        long[] values = new long[column.count()];
        for (int index = 0; index < values.length; index++) {
            if (!column.isNull(index)) {
                values[index] = column.longAt(index);
            }
        }
        return values;
    }

    /** High and low word of one value after the other. */
    private static long[] longDecimals(ArrowColumn column) {
        int count = column.count();
        long[] values = new long[count * 2];
        for (int index = 0; index < count; index++) {
            if (!column.isNull(index)) {
                values[index * 2] = column.highAt(index);
                values[index * 2 + 1] = column.lowAt(index);
            }
        }
        return values;
    }

    private static Block times(ArrowColumn column, int picosPerUnit, Optional<long[]> valid) {
        // Picoseconds are decimals to Arrow
        long[] values = picosPerUnit == 1 ? shortDecimals(column) : longs(column);
        for (int index = 0; index < values.length; index++) {
            values[index] *= picosPerUnit;
        }
        return new LongArrayBlock(values.length, valid, values);
    }

    private static Block timestamps(
            ArrowColumn column, TimestampType type, Optional<long[]> valid) {
        if (type.isWide()) {
            return new WideTimes(type).toBlock(longDecimals(column), valid);
        }
        long[] values = longs(column);
        if (type.withTimeZone()) {
            return TimeBlocks.instants(values, valid, type.precision());
        }
        return type.isNanos()
                ? TimeBlocks.timestamps(values, valid)
                : new LongArrayBlock(values.length, valid, values);
    }

    private static Block array(ArrowColumn column, ArrayType type, Optional<long[]> valid) {
        int[] offsets = offsets(column);
        Block elements = child(column.child(0), type.getElementType(), offsets);
        return ArrayBlock.fromElementBlock(column.count(), valid, rebased(offsets), elements);
    }

    private static Block map(ArrowColumn column, MapType type, Optional<long[]> valid) {
        int[] offsets = offsets(column);
        Block keys = child(column.child(0), type.getKeyType(), offsets);
        Block values = child(column.child(1), type.getValueType(), offsets);
        return MapBlock.fromKeyValueBlock(
                valid, rebased(offsets), column.count(), keys, values, type);
    }

    private static Block row(ArrowColumn column, List<Type> fieldTypes, Optional<long[]> valid) {
        Block[] fields = new Block[fieldTypes.size()];
        for (int index = 0; index < fields.length; index++) {
            fields[index] = toBlock(column.child(index), fieldTypes.get(index));
        }
        return RowBlock.fromNotNullSuppressedFieldBlocks(column.count(), valid, fields);
    }

    /** The part of a child to which the offsets refer. */
    private static Block child(ArrowColumn column, Type type, int[] offsets) {
        Block block = toBlock(column, type);
        int start = offsets[0];
        int length = offsets[offsets.length - 1] - start;
        return start == 0 && length == block.getPositionCount()
                ? block
                : block.getRegion(start, length);
    }

    private static int[] rebased(int[] offsets) {
        if (offsets[0] == 0) {
            return offsets;
        }
        int[] rebased = new int[offsets.length];
        for (int index = 0; index < offsets.length; index++) {
            rebased[index] = offsets[index] - offsets[0];
        }
        return rebased;
    }
}
