package io.stele.engine.manifest;

import io.stele.protocol.predicate.ColumnStats;
import java.io.ByteArrayOutputStream;
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
 * A compact map from column id to column statistics in one byte array, ascending by id, since
 * manifests hold such a map for every file. Objects would need ten times the memory. Immutable and
 * thread-safe.
 *
 * <pre>
 * of each column, numbers in groups of 7 bits from the lowest: id | flags: 1 min, 2 max, 4 NaN |
 * null count + 1 | length and bytes of min | of max
 * </pre>
 */
final class PackedColumnStats extends AbstractMap<Integer, ColumnStats> {
    private static final int HAS_MIN = 1;
    private static final int HAS_MAX = 2;
    private static final int HAS_NAN = 4;

    private final byte[] packed;
    private final int count;

    private PackedColumnStats(byte[] packed, int count) {
        this.packed = packed;
        this.count = count;
    }

    static Map<Integer, ColumnStats> copyOf(Map<Integer, ColumnStats> stats) {
        if (stats instanceof PackedColumnStats || stats.isEmpty()) {
            return stats.isEmpty() ? Map.of() : stats;
        }
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        new TreeMap<>(stats).forEach((id, column) -> write(output, id, column));
        return new PackedColumnStats(output.toByteArray(), stats.size());
    }

    private static void write(ByteArrayOutputStream output, int id, ColumnStats column) {
        writeNumber(output, Integer.toUnsignedLong(id));
        output.write(
                (column.min().isPresent() ? HAS_MIN : 0)
                        | (column.max().isPresent() ? HAS_MAX : 0)
                        | (column.hasNaN() ? HAS_NAN : 0));
        writeNumber(output, column.nullCount() + 1);
        column.min().ifPresent(min -> writeBytes(output, min));
        column.max().ifPresent(max -> writeBytes(output, max));
    }

    private static void writeBytes(ByteArrayOutputStream output, byte[] bytes) {
        writeNumber(output, bytes.length);
        output.write(bytes, 0, bytes.length);
    }

    private static void writeNumber(ByteArrayOutputStream output, long number) {
        long rest = number;
        while (rest >>> 7 != 0) {
            output.write((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        output.write((int) rest);
    }

    @Override
    public int size() {
        return count;
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
                return count;
            }
        };
    }

    /** An iterator over the columns. */
    private final class Cursor implements Iterator<Entry<Integer, ColumnStats>> {
        private int position;

        @Override
        public boolean hasNext() {
            return position < packed.length;
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
            return (int) readNumber();
        }

        private ColumnStats readStats() {
            int flags = packed[position++];
            long nullCount = readNumber() - 1;
            Optional<byte[]> min = readBytes((flags & HAS_MIN) != 0);
            Optional<byte[]> max = readBytes((flags & HAS_MAX) != 0);
            return new ColumnStats(min, max, nullCount, (flags & HAS_NAN) != 0);
        }

        private void skipStats() {
            int flags = packed[position++];
            readNumber();
            skipBytes((flags & HAS_MIN) != 0);
            skipBytes((flags & HAS_MAX) != 0);
        }

        private Optional<byte[]> readBytes(boolean isThere) {
            if (!isThere) {
                return Optional.empty();
            }
            int length = (int) readNumber();
            position += length;
            return Optional.of(Arrays.copyOfRange(packed, position - length, position));
        }

        private void skipBytes(boolean isThere) {
            if (isThere) {
                int length = (int) readNumber();
                position += length;
            }
        }

        private long readNumber() {
            long number = 0;
            for (int shift = 0; ; shift += 7) {
                byte next = packed[position++];
                number |= (next & 0x7fL) << shift;
                if (next >= 0) {
                    return number;
                }
            }
        }
    }
}
