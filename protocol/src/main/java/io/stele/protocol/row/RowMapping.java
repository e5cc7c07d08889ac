package io.stele.protocol.row;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.IdentifiedType;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A conversion of binary rows from one schema version of a table to another, for reads of older
 * rows after ALTER TABLE. Columns and nested fields are found by id, not by name or position. A
 * column that the earlier version does not have gets its initial value. A nested field that it does
 * not have is null. Columns and fields that the later version does not have are omitted, and
 * narrower values are widened. This is immutable; a {@link Mapper}, which is mutable, converts the
 * rows.
 */
public final class RowMapping {
    private static final int ABSENT = -1;

    private final RowLayout from;
    private final RowLayout to;

    /** For each column of the target, its position in the source, or {@link #ABSENT}. */
    private final int[] positions;

    private final @Nullable ValueMapping[] values;

    /**
     * For each column of the target that the source does not have, a row with its initial value;
     * null for null.
     */
    private final @Nullable BinaryRow[] initials; // their positions are never changed

    private final boolean sameBytes;

    private RowMapping(RowLayout from, RowLayout to) {
        this.from = from;
        this.to = to;
        int count = to.count();
        this.positions = new int[count];
        this.values = new @Nullable ValueMapping[count];
        this.initials = new @Nullable BinaryRow[count];
        boolean same = from.count() == count;
        for (int i = 0; i < count; i++) {
            ColumnSchema column = to.columns().get(i);
            positions[i] = position(from.columns(), column.id());
            if (positions[i] == ABSENT) {
                initials[i] = InitialRow.of(column).orElse(null);
                same = false;
                continue;
            }
            ValueMapping value =
                    ValueMapping.of(
                            IdentifiedType.of(from.columns().get(positions[i])),
                            IdentifiedType.of(column));
            values[i] = value;
            same &= positions[i] == i && value.isSameBytes();
        }
        this.sameBytes = same;
    }

    /**
     * A mapping from rows of one version to rows of another, in which every common column has an
     * equal or a wider type.
     *
     * @throws IllegalArgumentException if a column has another type that is not wider
     */
    public static RowMapping of(List<ColumnSchema> from, List<ColumnSchema> to) {
        return of(RowLayout.of(from), RowLayout.of(to));
    }

    /** A mapping between layouts of whole rows. */
    public static RowMapping of(RowLayout from, RowLayout to) {
        requireNonNull(from, "from is null");
        requireNonNull(to, "to is null");
        return new RowMapping(from, to);
    }

    /** The layout of the source rows. */
    public RowLayout from() {
        return from;
    }

    /** The layout of the mapped rows. */
    public RowLayout to() {
        return to;
    }

    /** Whether rows of both versions have equal bytes, so that no row needs mapping. */
    public boolean isSameBytes() {
        return sameBytes;
    }

    /** Creates a mapper, which is confined to one thread. */
    public Mapper mapper() {
        return new Mapper();
    }

    private static int position(List<ColumnSchema> columns, int id) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).id() == id) {
                return i;
            }
        }
        return ABSENT;
    }

    /** A converter of rows, one after the other, with its own buffers. Confined to one thread. */
    public final class Mapper {
        private final BinaryRow source = new BinaryRow(from);
        private final RowEncoder target = RowEncoder.ofStored(to);

        /** The row in the target layout, as a new array. */
        public byte[] map(byte[] bytes, int offset, int length) {
            if (sameBytes) {
                return Arrays.copyOfRange(bytes, offset, offset + length);
            }
            source.wrap(bytes, offset, length);
            target.reset();
            for (int i = 0; i < positions.length; i++) {
                ValueMapping value = values[i];
                BinaryRow initial = initials[i];
                if (value != null) {
                    value.map(source, positions[i], target, i);
                } else if (initial != null) {
                    target.copyBytes(i, initial, 0);
                }
            }
            return target.finishToArray();
        }

        /** The row in the target layout, as a new array, of a row that is a whole array. */
        public byte[] map(byte[] bytes) {
            return sameBytes ? bytes : map(bytes, 0, bytes.length);
        }
    }
}
