package io.stele.connector.type;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.trino.spi.block.ArrayBlock;
import io.trino.spi.block.Bitmap;
import io.trino.spi.block.Block;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.MapBlock;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.type.MapType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A converter of blocks between the form of values in column files and Trino's form; it preserves
 * dictionaries and runs. Stateless.
 */
@FunctionalInterface
interface BlockConverter {
    /** Converts the values of a block that is neither dictionary nor run. */
    Block convertValues(ValueBlock block);

    /** The converter of {@link OrcTypes} if the forms are the same. */
    BlockConverter IDENTITY = block -> block;

    default Block convert(Block block) {
        return switch (block) {
            case RunLengthEncodedBlock run ->
                    RunLengthEncodedBlock.create(
                            convertValues(run.getValue()), run.getPositionCount());
            case DictionaryBlock dictionary ->
                    dictionary.createProjection(convertValues(dictionary.getDictionary()));
            case ValueBlock values -> convertValues(values);
        };
    }

    /** Longs times a factor: nanoseconds to picoseconds. */
    static BlockConverter multiply(long factor) {
        return block -> {
            LongArrayBlock longs = (LongArrayBlock) block;
            long[] values = new long[longs.getPositionCount()];
            for (int position = 0; position < values.length; position++) {
                if (!longs.isNull(position)) {
                    values[position] = longs.getLong(position) * factor;
                }
            }
            return new LongArrayBlock(values.length, validity(longs), values);
        };
    }

    /** Longs divided by a factor: picoseconds to nanoseconds, where SQL allows no finer value. */
    static BlockConverter divide(long divisor) {
        return block -> {
            LongArrayBlock longs = (LongArrayBlock) block;
            long[] values = new long[longs.getPositionCount()];
            for (int position = 0; position < values.length; position++) {
                if (!longs.isNull(position)) {
                    values[position] = longs.getLong(position) / divisor;
                }
            }
            return new LongArrayBlock(values.length, validity(longs), values);
        };
    }

    /** Nano- or picoseconds in 128 bits as a timestamp, with time zone or without. */
    static BlockConverter wideToTimestamps(WideTimes times) {
        return times::fromFile;
    }

    static BlockConverter timestampsToWide(WideTimes times) {
        return times::toFile;
    }

    /** Nanoseconds as a timestamp of a precision above 6. */
    static BlockConverter nanosToTimestamps() {
        return block -> TimeBlocks.timestamps(longs(block), validity(block));
    }

    static BlockConverter timestampsToNanos() {
        return block -> {
            long[] nanos = TimeBlocks.nanosOfTimestamps((Fixed12Block) block);
            return new LongArrayBlock(nanos.length, validity(block), nanos);
        };
    }

    /** Micro- or nanoseconds as a timestamp with time zone. */
    static BlockConverter storedToInstants(int precision) {
        return block -> TimeBlocks.instants(longs(block), validity(block), precision);
    }

    static BlockConverter instantsToStored(int precision) {
        return block -> {
            long[] stored = TimeBlocks.storedInstants(block, precision);
            return new LongArrayBlock(stored.length, validity(block), stored);
        };
    }

    /** 16 bytes of a variable-width block, big-endian, as Trino's UUID. */
    static BlockConverter bytesToUuid() {
        return block -> {
            VariableWidthBlock bytes = (VariableWidthBlock) block;
            long[] values = new long[bytes.getPositionCount() * 2];
            for (int position = 0; position < bytes.getPositionCount(); position++) {
                if (!bytes.isNull(position)) {
                    Slice slice = bytes.getSlice(position);
                    values[position * 2] = slice.getLong(0);
                    values[position * 2 + 1] = slice.getLong(Long.BYTES);
                }
            }
            return new Int128ArrayBlock(bytes.getPositionCount(), validity(bytes), values);
        };
    }

    /** Trino's UUID as 16 bytes, big-endian. */
    static BlockConverter uuidToBytes() {
        return block -> {
            Int128ArrayBlock uuids = (Int128ArrayBlock) block;
            int count = uuids.getPositionCount();
            Slice slice = Slices.allocate(count * 2 * Long.BYTES);
            int[] offsets = new int[count + 1];
            for (int position = 0; position < count; position++) {
                int offset = offsets[position];
                if (!uuids.isNull(position)) {
                    slice.setLong(offset, uuids.getInt128High(position));
                    slice.setLong(offset + Long.BYTES, uuids.getInt128Low(position));
                    offset += 2 * Long.BYTES;
                }
                offsets[position + 1] = offset;
            }
            return new VariableWidthBlock(count, slice, offsets, validity(uuids));
        };
    }

    static BlockConverter array(BlockConverter element) {
        return block -> {
            ArrayBlock array = (ArrayBlock) block;
            return array.createProjection(element.convert(array.getElementsBlock()));
        };
    }

    static BlockConverter map(BlockConverter key, BlockConverter value, MapType target) {
        return block -> {
            MapBlock map = (MapBlock) block;
            int count = map.getPositionCount();
            int[] offsets = new int[count + 1];
            int base = map.getRawOffsets()[map.getOffsetBase()];
            for (int position = 0; position <= count; position++) {
                offsets[position] = map.getRawOffsets()[map.getOffsetBase() + position] - base;
            }
            return MapBlock.fromKeyValueBlock(
                    validity(map),
                    offsets,
                    key.convert(map.getKeyBlock()),
                    value.convert(map.getValueBlock()),
                    target);
        };
    }

    static BlockConverter row(List<BlockConverter> fields) {
        return block -> {
            RowBlock row = (RowBlock) block;
            Block[] converted = new Block[fields.size()];
            for (int field = 0; field < converted.length; field++) {
                converted[field] = fields.get(field).convert(row.getFieldBlock(field));
            }
            return row.createProjection(converted);
        };
    }

    private static long[] longs(ValueBlock block) {
        LongArrayBlock longs = (LongArrayBlock) block;
        long[] values = new long[longs.getPositionCount()];
        for (int position = 0; position < values.length; position++) {
            values[position] = longs.isNull(position) ? 0 : longs.getLong(position);
        }
        return values;
    }

    /** The validity of a block's positions, starting at bit 0; absent where nothing is null. */
    static Optional<long[]> validity(ValueBlock block) {
        @Nullable Bitmap bitmap = block.getValidityBitmap().orElse(null);
        if (bitmap == null || !block.hasNull()) {
            return Optional.empty();
        }
        if (bitmap.getRawBitOffset() == 0) {
            return Optional.of(bitmap.getRawWords());
        }
        long[] words = Bitmap.allocateWords(block.getPositionCount(), false);
        for (int position = 0; position < block.getPositionCount(); position++) {
            if (bitmap.isSet(position)) {
                Bitmap.set(words, 0, position);
            }
        }
        return Optional.of(words);
    }
}
