package io.stele.engine.manifest;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.protocol.predicate.ColumnStats;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A compact map from column id to column statistics in a part of a byte array, ascending by id,
 * since manifests hold such a map for every file. Objects would need ten times the memory.
 * Immutable and thread-safe.
 *
 * <p>Manifest bases have the same bytes ({@link PackedFileEntry}).
 *
 * <pre>
 * count of columns, varint
 * of each column: varint id | flags: 1 min, 2 max, 4 NaN | varint null count + 1
 *                 | min: varint length, bytes
 *                 | max: varint length of what it shares with the start of min, if there is a min
 *                        | varint length, bytes of the rest
 * </pre>
 */
final class PackedColumnStats extends AbstractMap<Integer, ColumnStats> {
    private static final int HAS_MIN = 1;
    private static final int HAS_MAX = 2;
    private static final int HAS_NAN = 4;

    private final byte[] packed;
    private final int start;

    private PackedColumnStats(byte[] packed, int start) {
        this.packed = packed;
        this.start = start;
    }

    /**
     * The map that {@link #write} wrote.
     *
     * @param packed has the map from {@code start} to its end; not copied
     */
    static Map<Integer, ColumnStats> at(byte[] packed, int start) {
        return packed[start] == 0 ? Map.of() : new PackedColumnStats(packed, start);
    }

    /**
     * Checks stored bytes from {@code start} to the end of the array.
     *
     * @throws IllegalArgumentException if they are no such map
     * @throws IndexOutOfBoundsException if they end within a value
     */
    static void check(byte[] packed, int start) {
        PackedBytes in = new PackedBytes(packed, start);
        long before = Long.MIN_VALUE;
        for (int left = in.readLength(); left > 0; left--) {
            long id = in.readNumber();
            PackedFileEntry.check(id >>> Integer.SIZE == 0, "a column id of 32 bits", id);
            PackedFileEntry.check((int) id > before, "column ids in order", (int) id);
            before = (int) id;
            int flags = in.readByte();
            PackedFileEntry.check(
                    (flags & ~(HAS_MIN | HAS_MAX | HAS_NAN)) == 0, "flags of a column", flags);
            long nulls = in.readNumber() - 1;
            PackedFileEntry.check(nulls >= -1, "a null count >= -1", nulls);
            int minLength = 0;
            if ((flags & HAS_MIN) != 0) {
                minLength = in.readLength();
                in.skip(minLength);
            }
            if ((flags & HAS_MAX) != 0) {
                if ((flags & HAS_MIN) != 0) {
                    int shared = in.readLength();
                    PackedFileEntry.check(
                            shared <= minLength, "shared bytes within the minimum", shared);
                }
                in.skipSizedBytes();
            }
        }
        PackedFileEntry.check(
                in.position() == packed.length, "the end after the last column", in.position());
    }

    /** Appends a map, which must be the last thing in the array. */
    static void write(ByteSink sink, Map<Integer, ColumnStats> stats) {
        if (stats instanceof PackedColumnStats same) {
            sink.writeBytes(same.packed, same.start, same.packed.length - same.start);
            return;
        }
        sink.writeVarint(stats.size());
        new TreeMap<>(stats).forEach((id, column) -> write(sink, id, column));
    }

    private static void write(ByteSink sink, int id, ColumnStats column) {
        sink.writeVarint(Integer.toUnsignedLong(id));
        sink.writeByte(
                (column.min().isPresent() ? HAS_MIN : 0)
                        | (column.max().isPresent() ? HAS_MAX : 0)
                        | (column.hasNaN() ? HAS_NAN : 0));
        sink.writeVarint(column.nullCount() + 1);
        column.min().ifPresent(sink::writeSizedBytes);
        if (column.max().isPresent()) {
            byte[] max = column.max().get();
            int shared = 0;
            if (column.min().isPresent()) {
                int difference = Arrays.mismatch(column.min().get(), max);
                shared = difference < 0 ? max.length : difference;
                sink.writeVarint(shared);
            }
            sink.writeVarint(max.length - shared);
            sink.writeBytes(max, shared, max.length - shared);
        }
    }

    @Override
    public int size() {
        return (int) new Cursor().left;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return get(key) != null;
    }

    @Override
    public @Nullable ColumnStats get(@Nullable Object key) {
        if (key instanceof Integer wanted) {
            Cursor cursor = new Cursor();
            while (cursor.hasNext()) {
                int id = cursor.readId();
                if (id == wanted) {
                    return cursor.readStats();
                }
                cursor.skipStats();
            }
        }
        return null;
    }

    @Override
    public Set<Entry<Integer, ColumnStats>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Entry<Integer, ColumnStats>> iterator() {
                return new Cursor();
            }

            @Override
            public int size() {
                return PackedColumnStats.this.size();
            }
        };
    }

    /** An iterator over the columns. */
    private final class Cursor implements Iterator<Entry<Integer, ColumnStats>> {
        private final PackedBytes in = new PackedBytes(packed, start);
        private long left = in.readNumber();

        @Override
        public boolean hasNext() {
            return left > 0;
        }

        @Override
        public Entry<Integer, ColumnStats> next() {
            if (!hasNext()) {
                throw new NoSuchElementException("Expected another column, found the end");
            }
            int id = readId();
            return Map.entry(id, readStats());
        }

        private int readId() {
            left--;
            return (int) in.readNumber();
        }

        private ColumnStats readStats() {
            int flags = in.readByte();
            long nullCount = in.readNumber() - 1;
            Optional<byte[]> min = Optional.empty();
            if ((flags & HAS_MIN) != 0) {
                min = Optional.of(in.readSizedBytes());
            }
            Optional<byte[]> max = Optional.empty();
            if ((flags & HAS_MAX) != 0) {
                max = Optional.of(min.isPresent() ? readAfter(min.get()) : in.readSizedBytes());
            }
            return new ColumnStats(min, max, nullCount, (flags & HAS_NAN) != 0);
        }

        /** Bytes that begin as others do. */
        private byte[] readAfter(byte[] before) {
            int shared = (int) in.readNumber();
            int length = (int) in.readNumber();
            byte[] bytes = Arrays.copyOf(before, shared + length);
            in.read(bytes, shared, length);
            return bytes;
        }

        private void skipStats() {
            int flags = in.readByte();
            in.readNumber();
            if ((flags & HAS_MIN) != 0) {
                in.skipSizedBytes();
            }
            if ((flags & HAS_MAX) != 0) {
                if ((flags & HAS_MIN) != 0) {
                    in.readNumber();
                }
                in.skipSizedBytes();
            }
        }
    }
}
