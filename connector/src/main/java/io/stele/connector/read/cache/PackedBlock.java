package io.stele.connector.read.cache;

import static io.airlift.slice.SizeOf.sizeOf;
import static io.trino.spi.type.DoubleType.DOUBLE;

import io.stele.connector.read.page.DistinctNumbers;
import io.stele.connector.read.page.ShortText;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.ShortArrayBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.type.Type;
import java.util.Optional;

/**
 * A compressed block of the decoded-column cache, for later scans. A value takes one byte where
 * there are few distinct values. Numbers that lie near each other take two to four bytes, and other
 * values are stored unchanged. Values are compared by their bits, so unpacking returns exactly the
 * packed values, including the sign of a zero. Immutable.
 */
sealed interface PackedBlock permits PackedBlock.Plain, PackedBlock.Coded, PackedNumbers {
    /**
     * The unpacked values.
     *
     * @param filtered whether Trino filters by them: few distinct numbers are then returned as a
     *     dictionary block, whose entries are compared instead of every number. Trino calculates
     *     faster with plain numbers. Text is always returned as a dictionary, if possible.
     */
    Block unpack(boolean filtered);

    /** The unpacked values at these positions, in the form of {@link #unpack(boolean)}. */
    Block unpack(boolean filtered, int[] positions);

    long retainedBytes();

    /**
     * The block's packed form; empty for nested values, and where packing would cost too much.
     *
     * @param type of its values
     */
    static Optional<PackedBlock> pack(Block block, Type type) {
        return switch (block) {
            case LongArrayBlock _, IntArrayBlock _, ShortArrayBlock _, ByteArrayBlock _ ->
                    Optional.of(packNumbers(block, type));
            case Int128ArrayBlock _, Fixed12Block _, RunLengthEncodedBlock _ ->
                    Optional.of(new Plain(block));
            case VariableWidthBlock _ ->
                    ShortText.encode(block) instanceof DictionaryBlock coded
                            ? packDictionary(coded)
                            : Optional.of(new Plain(block));
            case DictionaryBlock dictionary -> packDictionary(dictionary);
            default -> Optional.empty();
        };
    }

    private static PackedBlock packNumbers(Block block, Type type) {
        DistinctNumbers numbers = new DistinctNumbers();
        byte[] codes = new byte[block.getPositionCount()];
        for (int position = 0; position < codes.length; position++) {
            int code =
                    block.isNull(position)
                            ? numbers.codeOfNull(position)
                            : numbers.code(bits(block, position), position);
            if (code < 0) {
                return PackedNumbers.of(block, type == DOUBLE).orElseGet(() -> new Plain(block));
            }
            codes[position] = (byte) code;
        }
        return new Coded(block.copyPositions(numbers.firstPositions(), 0, numbers.count()), codes);
    }

    /** A number of a block of integers. */
    static long bits(Block block, int position) {
        return switch (block) {
            case LongArrayBlock longs -> longs.getLong(position);
            case IntArrayBlock ints -> ints.getInt(position);
            case ShortArrayBlock shorts -> shorts.getShort(position);
            case ByteArrayBlock bytes -> bytes.getByte(position);
            default ->
                    throw new IllegalArgumentException(
                            "Expected a block of integers, found " + block.getClass());
        };
    }

    private static Optional<PackedBlock> packDictionary(DictionaryBlock block) {
        DistinctNumbers entries = new DistinctNumbers();
        byte[] codes = new byte[block.getPositionCount()];
        for (int position = 0; position < codes.length; position++) {
            int code = entries.code(block.getId(position), position);
            if (code < 0) {
                // Other pages share the dictionary, and each would count all of its memory
                return Optional.empty();
            }
            codes[position] = (byte) code;
        }
        int[] ids = new int[entries.count()];
        for (int entry = 0; entry < ids.length; entry++) {
            ids[entry] = block.getId(entries.firstPositions()[entry]);
        }
        return Optional.of(
                new Coded(block.getDictionary().copyPositions(ids, 0, ids.length), codes));
    }

    /** An unchanged block. */
    record Plain(Block block) implements PackedBlock {
        @Override
        public Block unpack(boolean filtered) {
            return block;
        }

        @Override
        public Block unpack(boolean filtered, int[] positions) {
            return NarrowedBlocks.select(block, positions);
        }

        @Override
        public long retainedBytes() {
            return block.getRetainedSizeInBytes();
        }
    }

    /** At most 256 distinct values, and which of them each position has. */
    @SuppressWarnings("ArrayRecordComponent") // private to this package, and never compared
    record Coded(Block entries, byte[] codes) implements PackedBlock {
        @Override
        public Block unpack(boolean filtered) {
            return unpack(filtered, entries, codes);
        }

        @Override
        public Block unpack(boolean filtered, int[] positions) {
            byte[] wanted = new byte[positions.length];
            for (int i = 0; i < wanted.length; i++) {
                wanted[i] = codes[positions[i]];
            }
            return unpack(filtered, entries, wanted);
        }

        private static Block unpack(boolean filtered, Block entries, byte[] codes) {
            if (filtered || entries instanceof VariableWidthBlock) {
                return DictionaryBlock.create(codes.length, entries, ids(codes));
            }
            return entries instanceof LongArrayBlock longs && !longs.mayHaveNull()
                    ? longs(longs, codes)
                    : entries.copyPositions(ids(codes), 0, codes.length);
        }

        private static int[] ids(byte[] codes) {
            int[] ids = new int[codes.length];
            for (int position = 0; position < ids.length; position++) {
                ids[position] = codes[position] & 0xFF;
            }
            return ids;
        }

        private static Block longs(LongArrayBlock distinct, byte[] codes) {
            long[] table = new long[DistinctNumbers.MAX];
            for (int entry = 0; entry < distinct.getPositionCount(); entry++) {
                table[entry] = distinct.getLong(entry);
            }
            long[] values = new long[codes.length];
            for (int position = 0; position < values.length; position++) {
                values[position] = table[codes[position] & 0xFF];
            }
            return new LongArrayBlock(values.length, Optional.empty(), values);
        }

        @Override
        public long retainedBytes() {
            return entries.getRetainedSizeInBytes() + sizeOf(codes);
        }
    }
}
