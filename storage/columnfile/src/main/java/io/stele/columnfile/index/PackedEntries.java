package io.stele.columnfile.index;

import io.stele.columnfile.bytes.BitSink;
import io.stele.columnfile.bytes.BitSource;
import io.stele.columnfile.bytes.ByteSink;
import io.stele.columnfile.bytes.ByteSource;
import io.stele.columnfile.bytes.Corruption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A lossless compression of the entry blocks of key indexes, applied and reverted by the block
 * frame. It restores the exact payload. Stateless.
 *
 * <p>Entries of a key index are sorted keys without values, or with one number each, so an entry
 * differs little from the one before: the place of the first different byte, the increase of that
 * byte (the step), and the bytes after it. The lengths occur in few combinations, called shapes
 * here.
 *
 * <pre>
 * header: varint entries | varint restart interval | flags 1 (bit 0: values are ordinals; bit 1: hash index)
 *         | first key: varint length, bytes
 *         | shapes 1 | low bits of a shape's number 1
 *         | each shape, the most frequent first: varint bytes that the key does not share with the one before
 *                       | varint zigzag32(its length - length of the one before) | low bits of steps 1
 *         | places 1 | each place: least byte 1 | bits 1
 *         | with ordinals: varint least ordinal | bits 1
 * bits:   of the first entry: its ordinal
 *         of each other entry: number of its shape, Rice | step, Rice | bytes behind | its ordinal
 * step:   of a shape with bytes: the first of them, less (that of the key before in its place + 1), if there is one
 * bytes:  each less the least of its place, in that many bits; the place is the distance from the key's end,
 *         0 of the last byte; from place 16 on 8 bits, as it is
 * </pre>
 *
 * Bits fill bytes from the lowest; the last byte is filled with zeros. A Rice code with {@code b}
 * low bits is {@code value >>> b} zeros, a one, and the low bits.
 */
final class PackedEntries {
    /** More combinations occur in texts, for which general codecs are better. */
    static final int MAX_SHAPES = 64;

    /** Places (distances from the key's end) that have a range of their own. */
    private static final int PLACES = 16;

    private static final int MOST_LOW_BITS = 7; // of steps, which are below 256
    private static final int FLAG_ORDINALS = 1;
    private static final int FLAG_HASHED = 2;

    private PackedEntries() {}

    /**
     * The packed form of a payload that {@link EntryBlockBuilder} built; null if it has values that
     * are not ordinals, or keys of too many shapes.
     */
    static @Nullable ByteSink pack(byte[] payload, int length) {
        EntryBlock block = EntryBlock.of("a new block", 0, Arrays.copyOf(payload, length));
        Statistics statistics = new Statistics();
        if (!statistics.gather(block)) {
            return null;
        }
        ByteSink sink = new ByteSink(length / 2);
        new Encoder(block, statistics, sink).encode();
        return sink;
    }

    /**
     * Restores the payload.
     *
     * @param fileOffset of the block, for messages
     */
    static byte[] unpack(
            String path, long fileOffset, byte[] bytes, int offset, int length, int rawLength) {
        return new Decoder(path, fileOffset, bytes, offset, length, rawLength).decode();
    }

    /** The difference of a key from the previous one. Confined to one thread. */
    private static final class Step {
        private byte[] before = new byte[64];
        private int beforeLength;
        private int shared;

        /** Computes the difference of a key from the previous one. */
        void to(byte[] key, int length) {
            int mismatch = Arrays.mismatch(before, 0, beforeLength, key, 0, length);
            shared = mismatch < 0 ? length : mismatch;
        }

        /** Makes a key the previous key. */
        void keep(byte[] key, int length) {
            if (before.length < length) {
                before = new byte[2 * length];
            }
            System.arraycopy(key, 0, before, 0, length);
            beforeLength = length;
        }

        long shape(int length) {
            int difference = length - beforeLength;
            return ((long) (length - shared) << 32)
                    | (((difference << 1) ^ (difference >> 31)) & 0xFFFF_FFFFL);
        }

        int step(byte[] key) {
            int first = key[shared] & 0xff;
            return shared < beforeLength ? first - (before[shared] & 0xff) - 1 : first;
        }
    }

    /** The common properties of all entries of a block. Confined to one thread. */
    private static final class Statistics {
        private final long[] shapes = new long[MAX_SHAPES];
        private final int[] counts = new int[MAX_SHAPES];
        private final long[] stepSums = new long[MAX_SHAPES];
        private int shapeCount;
        private int lastShape;
        private final int[] least = new int[PLACES];
        private final int[] most = new int[PLACES];
        private int places;
        private boolean hasOrdinals;
        private int leastOrdinal = Integer.MAX_VALUE;
        private int mostOrdinal;

        Statistics() {
            Arrays.fill(least, 255);
        }

        boolean gather(EntryBlock block) {
            EntryCursor entries = new EntryCursor(block);
            Step step = new Step();
            for (int i = 0; entries.next(); i++) {
                if (i == 0) {
                    hasOrdinals = entries.valueLength() > 0;
                } else if (!gatherKey(entries.keyArray(), entries.keyLength(), step)) {
                    return false;
                }
                if (!gatherValue(entries)) {
                    return false;
                }
                step.keep(entries.keyArray(), entries.keyLength());
            }
            return true;
        }

        private boolean gatherKey(byte[] key, int length, Step step) {
            step.to(key, length);
            int shape = add(step.shape(length));
            if (shape < 0) {
                return false;
            }
            if (step.shared < length) {
                stepSums[shape] += step.step(key);
            }
            for (int i = Math.max(step.shared + 1, length - PLACES); i < length; i++) {
                int place = length - 1 - i;
                int value = key[i] & 0xff;
                least[place] = Math.min(least[place], value);
                most[place] = Math.max(most[place], value);
                places = Math.max(places, place + 1);
            }
            return true;
        }

        private boolean gatherValue(EntryCursor entries) {
            if (!hasOrdinals) {
                return entries.valueLength() == 0;
            }
            int length = entries.valueLength();
            if (length < 1 || length > 5) {
                return false;
            }
            long value = ordinal(entries);
            if (value < 0 || value > Integer.MAX_VALUE) {
                return false;
            }
            leastOrdinal = Math.min(leastOrdinal, (int) value);
            mostOrdinal = Math.max(mostOrdinal, (int) value);
            return true;
        }

        /** Counts a shape; returns its number, below 0 if there are too many shapes. */
        private int add(long shape) {
            int found = find(shape);
            if (found == MAX_SHAPES) {
                return -1;
            }
            shapes[found] = shape;
            shapeCount = Math.max(shapeCount, found + 1);
            counts[found]++;
            return found;
        }

        /** The number of a shape, or the next free number. */
        private int find(long shape) {
            if (shapeCount > 0 && shapes[lastShape] == shape) {
                return lastShape;
            }
            int found = 0;
            while (found < shapeCount && shapes[found] != shape) {
                found++;
            }
            lastShape = Math.min(found, MAX_SHAPES - 1);
            return found;
        }

        /** The numbers of the shapes, the most frequent first. */
        private int[] ranked() {
            int[] ranked = new int[shapeCount];
            for (int i = 0; i < shapeCount; i++) {
                int at = i;
                for (; at > 0 && counts[ranked[at - 1]] < counts[i]; at--) {
                    ranked[at] = ranked[at - 1];
                }
                ranked[at] = i;
            }
            return ranked;
        }
    }

    /** The ordinal of an entry's value; below 0 if the value is not exactly one varint. */
    private static long ordinal(EntryCursor entries) {
        byte[] bytes = entries.valueArray();
        int at = entries.valueOffset();
        long value = 0;
        for (int i = 0; i < entries.valueLength(); i++) {
            int next = bytes[at + i];
            value |= (next & 0x7fL) << (7 * i);
            boolean isLast = i == entries.valueLength() - 1;
            // A last byte of zero is not canonical, so the encoder would not reproduce it
            if ((next >= 0) != isLast || (isLast && i > 0 && next == 0)) {
                return -1;
            }
        }
        return value;
    }

    /** An encoder of one block. Confined to one thread. */
    private static final class Encoder {
        private final EntryBlock block;
        private final Statistics statistics;
        private final ByteSink sink;
        private final BitSink bits;
        private final int[] ranked;
        private final int[] ranks;
        private final int[] stepBits;
        private int rankBits;

        Encoder(EntryBlock block, Statistics statistics, ByteSink sink) {
            this.block = block;
            this.statistics = statistics;
            this.sink = sink;
            this.bits = new BitSink(sink);
            this.ranked = statistics.ranked();
            this.ranks = new int[ranked.length];
            this.stepBits = new int[ranked.length];
        }

        void encode() {
            for (int rank = 0; rank < ranked.length; rank++) {
                ranks[ranked[rank]] = rank;
            }
            rankBits = bestRankBits();
            EntryCursor entries = new EntryCursor(block);
            entries.next();
            writeHeader(entries);
            Step step = new Step();
            do {
                byte[] key = entries.keyArray();
                int length = entries.keyLength();
                if (entries.ordinal() > 0) {
                    step.to(key, length);
                    writeKey(key, length, step);
                }
                if (statistics.hasOrdinals) {
                    bits.write(
                            (int) ordinal(entries) - statistics.leastOrdinal,
                            width(statistics.mostOrdinal - statistics.leastOrdinal));
                }
                step.keep(key, length);
            } while (entries.next());
            bits.finish();
        }

        private void writeHeader(EntryCursor first) {
            sink.writeVarint(block.entryCount);
            sink.writeVarint(block.restartInterval);
            sink.writeByte(
                    (statistics.hasOrdinals ? FLAG_ORDINALS : 0)
                            | (block.hasBuckets() ? FLAG_HASHED : 0));
            sink.writeVarint(first.keyLength());
            sink.writeBytes(first.keyArray(), 0, first.keyLength());
            sink.writeByte(ranked.length);
            sink.writeByte(rankBits);
            for (int shape : ranked) {
                sink.writeVarint(statistics.shapes[shape] >>> 32);
                sink.writeVarint(statistics.shapes[shape] & 0xFFFF_FFFFL);
                stepBits[shape] = lowBits(statistics.stepSums[shape] / statistics.counts[shape]);
                sink.writeByte(stepBits[shape]);
            }
            sink.writeByte(statistics.places);
            for (int place = 0; place < statistics.places; place++) {
                sink.writeByte(statistics.least[place]);
                sink.writeByte(width(statistics.most[place] - statistics.least[place]));
            }
            if (statistics.hasOrdinals) {
                sink.writeVarint(statistics.leastOrdinal);
                sink.writeByte(width(statistics.mostOrdinal - statistics.leastOrdinal));
            }
        }

        private void writeKey(byte[] key, int length, Step step) {
            int shape = statistics.find(step.shape(length));
            bits.writeRice(ranks[shape], rankBits);
            if (step.shared == length) {
                return;
            }
            bits.writeRice(step.step(key), stepBits[shape]);
            for (int i = step.shared + 1; i < length; i++) {
                int place = length - 1 - i;
                if (place < PLACES) {
                    int least = statistics.least[place];
                    bits.write((key[i] & 0xff) - least, width(statistics.most[place] - least));
                } else {
                    bits.write(key[i] & 0xff, 8);
                }
            }
        }

        private int bestRankBits() {
            int best = 0;
            long fewest = Long.MAX_VALUE;
            for (int low = 0; low < 6; low++) {
                long cost = 0;
                for (int rank = 0; rank < ranked.length; rank++) {
                    cost += (long) statistics.counts[ranked[rank]] * ((rank >>> low) + 1 + low);
                }
                if (cost < fewest) {
                    fewest = cost;
                    best = low;
                }
            }
            return best;
        }

        /** The number of low bits of a Rice code for values of about this mean. */
        private static int lowBits(long mean) {
            int twoThirds = (int) (2 * mean / 3);
            return Math.min(MOST_LOW_BITS, width(twoThirds));
        }
    }

    /** The number of bits that a number needs. */
    private static int width(int value) {
        return 32 - Integer.numberOfLeadingZeros(value);
    }

    /** A decoder that restores the payload of one block. Confined to one thread. */
    private static final class Decoder {
        private final String path;
        private final long fileOffset;
        private final int rawLength;
        private final ByteSource header;
        private final byte[] bytes;
        private final int end;
        private int[] others = new int[0];
        private int[] differences = new int[0];
        private int[] stepBits = new int[0];
        private int rankBits;
        private final int[] least = new int[PLACES];
        private final int[] widths = new int[PLACES];
        private int leastOrdinal;
        private int ordinalBits;
        private byte[] key = new byte[0];
        private int keyLength;

        Decoder(String path, long fileOffset, byte[] bytes, int offset, int length, int rawLength) {
            this.path = path;
            this.fileOffset = fileOffset;
            this.bytes = bytes;
            this.end = offset + length;
            this.rawLength = rawLength;
            this.header = new ByteSource(path, fileOffset, bytes, offset, end);
        }

        byte[] decode() {
            // An entry has at least three bytes of the payload
            int entries = atMost("entries", rawLength / 3, header.readVarint32("entries"));
            int interval = header.readVarint32("restart interval");
            int flags = atMost("flags", FLAG_ORDINALS | FLAG_HASHED, header.readByte());
            if (entries < 1 || interval < 1) {
                throw Corruption.mismatch(
                        path, fileOffset, "entries and restart interval of at least", 1, 0);
            }
            boolean hasOrdinals = (flags & FLAG_ORDINALS) != 0;
            boolean hashed = (flags & FLAG_HASHED) != 0;
            key = header.readSizedBytes();
            keyLength = key.length;
            readHeader(entries, hasOrdinals);
            BitSource bits = new BitSource(path, fileOffset, bytes, end - header.remaining(), end);
            EntryBlockBuilder builder = new EntryBlockBuilder(rawLength, interval, hashed);
            for (int i = 0; i < entries; i++) {
                boolean isNew = i == 0 || readKey(bits);
                int ordinal = hasOrdinals ? leastOrdinal + bits.read(ordinalBits) : 0;
                if (ordinal < 0) {
                    throw Corruption.mismatch(path, fileOffset, "ordinal below", "2^31", "more");
                }
                ByteSink sink =
                        builder.add(key, 0, keyLength, hasOrdinals ? varintLength(ordinal) : 0);
                if (hasOrdinals) {
                    sink.writeVarint(ordinal);
                }
                if (hashed && isNew) {
                    builder.addHash(BloomFilter.hash(key, 0, keyLength));
                }
                if (sink.size() > rawLength) {
                    break; // the wrong length is reported below
                }
            }
            ByteSink payload = builder.finish();
            if (payload.size() != rawLength) {
                throw Corruption.mismatch(
                        path, fileOffset, "raw length", rawLength, payload.size());
            }
            bits.requireEnd();
            return payload.toByteArray();
        }

        private void readHeader(int entries, boolean hasOrdinals) {
            int shapes = atMost("shapes", MAX_SHAPES, header.readByte());
            if (shapes == 0 && entries > 1) {
                throw Corruption.mismatch(path, fileOffset, "shapes of at least", 1, 0);
            }
            rankBits = atMost("bits of shapes", 5, header.readByte());
            others = new int[shapes];
            differences = new int[shapes];
            stepBits = new int[shapes];
            for (int i = 0; i < shapes; i++) {
                others[i] = header.readVarint32("key bytes");
                long zigzag = header.readVarint();
                differences[i] = (int) (zigzag >>> 1) ^ -(int) (zigzag & 1);
                stepBits[i] = atMost("bits of steps", MOST_LOW_BITS, header.readByte());
            }
            int places = atMost("places", PLACES, header.readByte());
            for (int i = 0; i < places; i++) {
                least[i] = header.readByte();
                widths[i] = atMost("bits of a byte", 8, header.readByte());
            }
            if (hasOrdinals) {
                leastOrdinal = header.readVarint32("least ordinal");
                ordinalBits = atMost("bits of ordinals", 31, header.readByte());
            }
        }

        /** Reads the next key into the buffer of the previous key; false if both are equal. */
        private boolean readKey(BitSource bits) {
            int shape = bits.readRice(rankBits, others.length - 1);
            int other = others[shape];
            long length = (long) keyLength + differences[shape];
            long shared = length - other;
            if (shared < 0 || shared > keyLength || length > rawLength) {
                throw Corruption.mismatch(
                        path, fileOffset, "shared key bytes in", "[0, " + keyLength + "]", shared);
            }
            if (other > 0) {
                int from = (int) shared;
                int step = bits.readRice(stepBits[shape], 255);
                int first = from < keyLength ? (key[from] & 0xff) + 1 + step : step;
                if (key.length < length) {
                    key = Arrays.copyOf(key, 2 * (int) length);
                }
                key[from] = (byte) atMost("byte of a key", 255, first);
                readRest(bits, from + 1, (int) length);
            } else if (length < keyLength) {
                throw Corruption.mismatch(
                        path, fileOffset, "key at or after", "the one before", "less");
            }
            keyLength = (int) length;
            return other > 0;
        }

        private void readRest(BitSource bits, int from, int length) {
            for (int i = from; i < length; i++) {
                int place = length - 1 - i;
                int value = place < PLACES ? least[place] + bits.read(widths[place]) : bits.read(8);
                key[i] = (byte) atMost("byte of a key", 255, value);
            }
        }

        private int atMost(String what, int most, int found) {
            if (found > most) {
                throw Corruption.mismatch(path, fileOffset, what + " of at most", most, found);
            }
            return found;
        }

        private static int varintLength(int value) {
            return Math.max(1, (38 - Integer.numberOfLeadingZeros(value)) / 7);
        }
    }
}
