package io.stele.protocol.predicate;

import io.stele.protocol.row.BinaryValues;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.TypeKind;

/**
 * A filter of binary rows by the domain of one column, which compares physical values if that is
 * cheap. Confined to one thread.
 */
abstract sealed class ColumnMatcher {
    private final int index;
    private final boolean nullAllowed;

    private ColumnMatcher(int index, boolean nullAllowed) {
        this.index = index;
        this.nullAllowed = nullAllowed;
    }

    static ColumnMatcher of(int index, DataType type, ColumnDomain domain) {
        if (!type.isOrderable()) {
            return new OfNull(index, domain);
        }
        if (type.form().isLong()) {
            return new OfLongs(index, type, domain);
        }
        boolean plainBytes = type.form() == PhysicalForm.BYTES && type.kind() != TypeKind.CHAR;
        return plainBytes ? new OfBytes(index, domain) : new OfEncoded(index, type, domain);
    }

    final boolean matches(BinaryValues row) {
        return row.isNull(index) ? nullAllowed : contains(row, index);
    }

    abstract boolean contains(BinaryValues row, int column);

    /** The filter of a column without order, which can only distinguish null from other values. */
    private static final class OfNull extends ColumnMatcher {
        private final boolean anyAllowed;

        private OfNull(int index, ColumnDomain domain) {
            super(index, domain.nullAllowed());
            this.anyAllowed = !domain.ranges().isEmpty();
        }

        @Override
        boolean contains(BinaryValues row, int column) {
            return anyAllowed;
        }
    }

    private static final class OfLongs extends ColumnMatcher {
        private final LongIntervals intervals;

        private OfLongs(int index, DataType type, ColumnDomain domain) {
            super(index, domain.nullAllowed());
            this.intervals = LongIntervals.of(domain, ValueCodec.of(type)::decodeLong);
        }

        @Override
        boolean contains(BinaryValues row, int column) {
            return intervals.contains(row.longAt(column));
        }
    }

    /** The filter of text and binary, whose values are their own encoding. */
    private static final class OfBytes extends ColumnMatcher {
        private final ColumnDomain domain;

        private OfBytes(int index, ColumnDomain domain) {
            super(index, domain.nullAllowed());
            this.domain = domain;
        }

        @Override
        boolean contains(BinaryValues row, int column) {
            int offset = row.bytesOffset(column);
            return domain.contains(row.array(), offset, offset + row.bytesLength(column));
        }
    }

    /** The filter of all other types, which encodes the values. */
    private static final class OfEncoded extends ColumnMatcher {
        private final ColumnDomain domain;
        private final PhysicalForm form;
        private final ValueCodec codec;
        private final GrowingBytes buffer = GrowingBytes.forStored("value");

        private OfEncoded(int index, DataType type, ColumnDomain domain) {
            super(index, domain.nullAllowed());
            this.domain = domain;
            this.form = type.form();
            this.codec = ValueCodec.of(type);
        }

        @Override
        boolean contains(BinaryValues row, int column) {
            if (isNaN(row, column)) {
                return domain.containsNaN();
            }
            buffer.clear();
            codec.append(row, column, buffer);
            return domain.contains(buffer.array(), 0, buffer.length());
        }

        private boolean isNaN(BinaryValues row, int column) {
            return switch (form) {
                case FLOAT32 -> Float.isNaN(row.floatAt(column));
                case FLOAT64 -> Double.isNaN(row.doubleAt(column));
                default -> false;
            };
        }
    }
}
