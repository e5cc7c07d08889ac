package io.stele.connector.read.cache;

import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.SizeOf;
import io.stele.columnfile.orc.DecimalScale;
import io.trino.spi.block.Bitmap;
import io.trino.spi.block.Block;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import java.util.Optional;

/**
 * A compressed block of numbers as distances from their minimum, in two to four bytes instead of
 * four or eight each: a frame of reference (Goldstein, Ramakrishnan and Shaft, "Compressing
 * Relations and Indexes", ICDE 1998, section 2). Doubles that are short decimal fractions are
 * packed as whole numbers ({@link DecimalScale}). Distances are split at bytes and not at bits, and
 * each part has its own array, so that compiled loops decode several numbers at a time. Immutable.
 */
final class PackedNumbers implements PackedBlock {
    private static final int INSTANCE_SIZE = instanceSize(PackedNumbers.class);

    /** The largest distances that take at most half of a plain number. */
    private static final long MAX_LONG_DISTANCE = 0xFFFF_FFFFL;

    private static final long MAX_INT_DISTANCE = 0xFFFF;

    private final Kind kind;
    private final DecimalScale scale; // of doubles
    private final long least;
    private final short[] lows; // the lower two bytes of each distance
    private final byte[] middles; // the third one, where there are three
    private final short[] highs; // the upper two, where there are four
    private final Optional<long[]> valid; // a bit a value, as blocks have them; empty: no nulls

    private enum Kind {
        INT,
        LONG,
        DOUBLE
    }

    private PackedNumbers(
            Kind kind,
            DecimalScale scale,
            long[] numbers,
            long least,
            long distance,
            Optional<long[]> valid) {
        this.kind = requireNonNull(kind, "kind is null");
        this.scale = requireNonNull(scale, "scale is null");
        this.least = least;
        this.lows = new short[numbers.length];
        this.middles = new byte[distance >>> 16 != 0 && distance >>> 24 == 0 ? numbers.length : 0];
        this.highs = new short[distance >>> 24 != 0 ? numbers.length : 0];
        this.valid = valid;
        for (int position = 0; position < numbers.length; position++) {
            long own = isValid(valid, position) ? numbers[position] - least : 0;
            lows[position] = (short) own;
            if (middles.length > 0) {
                middles[position] = (byte) (own >>> 16);
            }
            if (highs.length > 0) {
                highs[position] = (short) (own >>> 16);
            }
        }
    }

    /**
     * The block's packed form; empty if it would take more than half of the block.
     *
     * @param isDouble whether the longs of the block are the bits of doubles
     */
    static Optional<PackedBlock> of(Block block, boolean isDouble) {
        Optional<long[]> valid = valid(block);
        return switch (block) {
            case IntArrayBlock _ ->
                    of(Kind.INT, new DecimalScale(0, 0), numbers(block), valid, MAX_INT_DISTANCE);
            case LongArrayBlock _ when isDouble -> ofDoubles(numbers(block), valid);
            case LongArrayBlock _ ->
                    of(Kind.LONG, new DecimalScale(0, 0), numbers(block), valid, MAX_LONG_DISTANCE);
            default -> Optional.empty();
        };
    }

    private static long[] numbers(Block block) {
        long[] numbers = new long[block.getPositionCount()];
        for (int position = 0; position < numbers.length; position++) {
            numbers[position] = PackedBlock.bits(block, position);
        }
        return numbers;
    }

    private static Optional<long[]> valid(Block block) {
        if (!block.mayHaveNull()) {
            return Optional.empty();
        }
        long[] words = new long[Bitmap.wordsForBits(block.getPositionCount())];
        for (int position = 0; position < block.getPositionCount(); position++) {
            if (!block.isNull(position)) {
                Bitmap.set(words, 0, position);
            }
        }
        return Optional.of(words);
    }

    private static boolean isValid(Optional<long[]> valid, int position) {
        return valid.isEmpty() || Bitmap.isSet(valid.get(), 0, position);
    }

    private static Optional<PackedBlock> ofDoubles(long[] bits, Optional<long[]> valid) {
        DecimalScale.Chooser chooser = new DecimalScale.Chooser();
        for (int position = 0; position < bits.length; position++) {
            if (isValid(valid, position)) {
                chooser.add(Double.longBitsToDouble(bits[position]));
            }
        }
        Optional<DecimalScale> scale = chooser.choice();
        if (scale.isEmpty()) {
            return Optional.empty();
        }
        long[] numbers = new long[bits.length];
        for (int position = 0; position < bits.length; position++) {
            if (isValid(valid, position)) {
                long number = scale.get().encode(Double.longBitsToDouble(bits[position]));
                if (number == DecimalScale.NONE) {
                    return Optional.empty();
                }
                numbers[position] = number;
            }
        }
        return of(Kind.DOUBLE, scale.get(), numbers, valid, MAX_LONG_DISTANCE);
    }

    private static Optional<PackedBlock> of(
            Kind kind,
            DecimalScale scale,
            long[] numbers,
            Optional<long[]> valid,
            long maxDistance) {
        long least = Long.MAX_VALUE;
        long greatest = Long.MIN_VALUE;
        for (int position = 0; position < numbers.length; position++) {
            if (isValid(valid, position)) {
                least = Math.min(least, numbers[position]);
                greatest = Math.max(greatest, numbers[position]);
            }
        }
        long distance = greatest - least; // negative if it overflows a long
        return greatest < least || distance < 0 || distance > maxDistance
                ? Optional.empty()
                : Optional.of(new PackedNumbers(kind, scale, numbers, least, distance, valid));
    }

    @Override
    public Block unpack(boolean filtered) {
        if (kind == Kind.INT) {
            int[] values = new int[lows.length];
            int first = (int) least;
            for (int position = 0; position < values.length; position++) {
                values[position] = first + (lows[position] & 0xFFFF);
            }
            return new IntArrayBlock(values.length, valid, values);
        }
        long[] values = new long[lows.length];
        if (highs.length > 0) {
            for (int position = 0; position < values.length; position++) {
                values[position] =
                        least
                                + (lows[position] & 0xFFFFL)
                                + ((highs[position] & 0xFFFFL) << Short.SIZE);
            }
        } else if (middles.length > 0) {
            for (int position = 0; position < values.length; position++) {
                values[position] =
                        least
                                + (lows[position] & 0xFFFFL)
                                + ((middles[position] & 0xFFL) << Short.SIZE);
            }
        } else {
            for (int position = 0; position < values.length; position++) {
                values[position] = least + (lows[position] & 0xFFFFL);
            }
        }
        return longs(values, valid);
    }

    @Override
    public Block unpack(boolean filtered, int[] positions) {
        Optional<long[]> validThere = valid.map(all -> select(all, positions));
        if (kind == Kind.INT) {
            int[] values = new int[positions.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = (int) number(positions[i]);
            }
            return new IntArrayBlock(values.length, validThere, values);
        }
        long[] values = new long[positions.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = number(positions[i]);
        }
        return longs(values, validThere);
    }

    private static long[] select(long[] words, int[] positions) {
        long[] selected = new long[Bitmap.wordsForBits(positions.length)];
        Bitmap.copyBits(words, 0, positions, 0, selected, 0, positions.length);
        return selected;
    }

    private long number(int position) {
        long distance = lows[position] & 0xFFFFL;
        if (highs.length > 0) {
            distance += (highs[position] & 0xFFFFL) << Short.SIZE;
        } else if (middles.length > 0) {
            distance += (middles[position] & 0xFFL) << Short.SIZE;
        }
        return least + distance;
    }

    /** A block of these numbers, which owns and may change their array. */
    private Block longs(long[] values, Optional<long[]> validThere) {
        if (kind == Kind.DOUBLE) {
            for (int i = 0; i < values.length; i++) {
                values[i] = Double.doubleToRawLongBits(scale.decode(values[i]));
            }
        }
        return new LongArrayBlock(values.length, validThere, values);
    }

    @Override
    public long retainedBytes() {
        return INSTANCE_SIZE
                + sizeOf(lows)
                + sizeOf(middles)
                + sizeOf(highs)
                + valid.map(SizeOf::sizeOf).orElse(0L);
    }
}
