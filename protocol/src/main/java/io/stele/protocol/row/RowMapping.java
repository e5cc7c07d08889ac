package io.stele.protocol.row;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.IdentifiedType;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A conversion of rows of one schema version of a table to another. Columns and nested fields are
 * found by id, not by name or position. A column that the earlier version does not have gets its
 * initial value. A field that it does not have is null. Columns and fields that the later version
 * does not have are left out, and narrower values are widened. Immutable; the rows are converted by
 * a {@link Mapper}, which is not.
 */
public final class RowMapping {
    private static final int ABSENT = -1;

    private final RowLayout from;
    private final RowLayout to;

    /** For each column of the target its position in the source, or {@link #ABSENT}. */
    private final int[] positions;

    private final @Nullable ValueMapping[] values;

    /** For each column of the target that the source has not what it has instead; null for null. */
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
     * From rows of one version to rows of another, in which every column that both have has the
     * same or a wider type.
     *
     * @throws IllegalArgumentException a column has another type that is not wider
     */
    public static RowMapping of(List<ColumnSchema> from, List<ColumnSchema> to) {
        return of(RowLayout.of(from), RowLayout.of(to));
    }

    /** As the other, between layouts of whole rows. */
    public static RowMapping of(RowLayout from, RowLayout to) {
        requireNonNull(from, "from is null");
        requireNonNull(to, "to is null");
        return new RowMapping(from, to);
    }

    /** The layout of the rows that are mapped. */
    public RowLayout from() {
        return from;
    }

    /** The layout of what they become. */
    public RowLayout to() {
        return to;
    }

    /** Whether rows of both versions are the same bytes, so that none need be mapped. */
    public boolean isSameBytes() {
        return sameBytes;
    }

    /** Does the work, for one thread. */
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

    /** Maps rows one after the other in its own buffers. Confined to one thread. */
    public final class Mapper {
        private final BinaryRow source = new BinaryRow(from);
        private final RowEncoder target = RowEncoder.ofStored(to);

        /** The row in the target layout, an array of its own. */
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

        /** As the other, of a whole array. */
        public byte[] map(byte[] bytes) {
            return sameBytes ? bytes : map(bytes, 0, bytes.length);
        }
    }
}
