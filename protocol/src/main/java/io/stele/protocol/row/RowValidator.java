package io.stele.protocol.row;

import static io.stele.protocol.row.GrowingBytes.INTS;
import static io.stele.protocol.row.GrowingBytes.LONGS;
import static io.stele.protocol.row.GrowingBytes.LONGS_BE;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.PhysicalForm;
import org.jspecify.annotations.Nullable;

/**
 * A validator of untrusted row bytes, for batches that clients send: one pass, no read outside the
 * given range, one small allocation. It accepts only the canonical encoding of each value, so that
 * equal rows have equal bytes.
 */
final class RowValidator {
    private final byte[] bytes;
    private final boolean checkText;

    /** The outermost column being checked, for messages. */
    private @Nullable String column;

    private RowValidator(byte[] bytes, boolean checkText) {
        this.bytes = bytes;
        this.checkText = checkText;
    }

    static void validate(
            RowLayout layout, byte[] bytes, int offset, int length, boolean checkText) {
        if (offset < 0 || length < 0 || offset > bytes.length - length) {
            throw new IllegalArgumentException(
                    "Expected a range within "
                            + bytes.length
                            + " bytes, found "
                            + length
                            + " bytes at "
                            + offset);
        }
        if (length > RowLayout.MAX_ROW_BYTES) {
            throw new SteleException(
                    ErrorCode.ROW_TOO_LARGE,
                    "Expected a row of at most "
                            + RowLayout.MAX_ROW_BYTES
                            + " bytes, found "
                            + length);
        }
        new RowValidator(bytes, checkText).row(layout, offset, length, true);
    }

    private void row(RowLayout layout, int offset, int length, boolean outermost) {
        int fixedSize = layout.fixedSize();
        if (length < fixedSize) {
            throw corrupt("a row of at least " + fixedSize + " bytes", length);
        }
        int count = layout.count();
        checkUnusedBits(offset, count);
        int valuesStart = offset + fixedSize;
        int available = length - fixedSize;
        int end = 0;
        for (int i = 0; i < count; i++) {
            if (outermost) {
                column = layout.name(i);
            }
            boolean isNull = (bytes[offset + (i >> 3)] & 1 << (i & 7)) != 0;
            if (isNull && !layout.nullable(i)) {
                throw new SteleException(
                        ErrorCode.NULL_KEY,
                        "Expected a value in NOT NULL column '" + layout.name(i) + "', found null");
            }
            end =
                    value(
                            layout.value(i),
                            offset + layout.offsets[i],
                            isNull,
                            valuesStart,
                            end,
                            available);
        }
        if (end != available) {
            throw corrupt("a row of " + (fixedSize + end) + " bytes", length);
        }
    }

    /**
     * Checks an array and returns its size in bytes; the size must be {@code exact}, unless that is
     * negative.
     */
    private int array(ValueLayout element, int offset, int length, int exact, boolean nullable) {
        if (length < 4) {
            throw corrupt("an array of at least 4 bytes", length);
        }
        int count = (int) INTS.get(bytes, offset);
        int width = element.slotWidth();
        long fixedSize = 4 + (count + 7L) / 8 + (long) count * width;
        if (count < 0 || fixedSize > length) {
            throw corrupt("an array that fits " + length + " bytes", count + " elements");
        }
        int bitmap = offset + 4;
        checkUnusedBits(bitmap, count);
        int slots = bitmap + RowLayout.bitmapBytes(count);
        int valuesStart = offset + (int) fixedSize;
        int available = length - (int) fixedSize;
        int end = 0;
        for (int i = 0; i < count; i++) {
            boolean isNull = (bytes[bitmap + (i >> 3)] & 1 << (i & 7)) != 0;
            if (isNull && !nullable) {
                throw corrupt("map keys that are not null", "null at position " + i);
            }
            end = value(element, slots + i * width, isNull, valuesStart, end, available);
        }
        int size = (int) fixedSize + end;
        if (exact >= 0 && size != exact) {
            throw corrupt("an array of " + size + " bytes", exact);
        }
        return size;
    }

    private void map(ValueLayout map, int offset, int length) {
        if (length < 4) {
            throw corrupt("a map of at least 4 bytes", length);
        }
        int keysLength = (int) INTS.get(bytes, offset);
        if (keysLength < 4 || keysLength > length - 8) {
            throw corrupt("keys that fit a map of " + length + " bytes", keysLength + " bytes");
        }
        int keys = offset + 4;
        int values = keys + keysLength;
        int valuesLength = length - 4 - keysLength;
        array(map.key(), keys, keysLength, keysLength, false);
        array(map.value(), values, valuesLength, valuesLength, true);
        int keyCount = (int) INTS.get(bytes, keys);
        int valueCount = (int) INTS.get(bytes, values);
        if (keyCount != valueCount) {
            throw corrupt("a map with " + keyCount + " values", valueCount);
        }
    }

    /**
     * Checks one value; returns the end of the variable-length values so far, given the end before
     * this value.
     */
    private int value(
            ValueLayout layout,
            int slot,
            boolean isNull,
            int valuesStart,
            int start,
            int available) {
        PhysicalForm form = layout.form();
        if (!form.isVariable()) {
            fixed(layout, form, slot, isNull);
            return start;
        }
        int end = (int) INTS.get(bytes, slot);
        if (end < start || end > available) {
            throw corrupt("a value that ends at " + start + " to " + available, end);
        }
        int length = end - start;
        if (isNull) {
            if (length != 0) {
                throw corrupt("no bytes for null", length + " bytes");
            }
            return end;
        }
        int offset = valuesStart + start;
        switch (form) {
            case ROW -> row(layout.row(), offset, length, false);
            case ARRAY -> array(layout.element(), offset, length, length, true);
            case MAP -> map(layout, offset, length);
            default -> text(layout, offset, length);
        }
        return end;
    }

    private void fixed(ValueLayout layout, PhysicalForm form, int slot, boolean isNull) {
        if (isNull) {
            for (int i = 0; i < form.width(); i++) {
                if (bytes[slot + i] != 0) {
                    throw corrupt("a slot of zeros for null", bytes[slot + i]);
                }
            }
            return;
        }
        switch (form) {
            case BOOLEAN -> {
                if ((bytes[slot] & ~1) != 0) {
                    throw corrupt("a boolean of 0 or 1", bytes[slot]);
                }
            }
            case INT64 -> {
                ValueLimits limits = layout.limits();
                if (!limits.allowsAllLongs() && !limits.allows((long) LONGS.get(bytes, slot))) {
                    throw outOfRange(layout, LONGS.get(bytes, slot));
                }
            }
            case INT128 -> {
                long high = (long) LONGS_BE.get(bytes, slot);
                long low = (long) LONGS_BE.get(bytes, slot + 8);
                if (!layout.limits().allows(high, low)) {
                    throw outOfRange(
                            layout, "0x" + Long.toHexString(high) + " " + Long.toHexString(low));
                }
            }
            default -> {}
        }
    }

    private void text(ValueLayout layout, int offset, int length) {
        ValueLimits limits = layout.limits();
        if (!checkText || !limits.isText) {
            return;
        }
        int codePoints = Utf8.countCodePoints(bytes, offset, length);
        if (codePoints < 0) {
            throw new SteleException(
                    ErrorCode.TYPE_MISMATCH,
                    "Expected UTF-8 in column '" + column + "', found " + length + " other bytes");
        }
        if (codePoints > limits.maxCodePoints) {
            throw outOfRange(layout, codePoints + " characters");
        }
        if (limits.isChar && length > 0 && bytes[offset + length - 1] == ' ') {
            throw corrupt("a char without trailing spaces", length + " bytes");
        }
    }

    private void checkUnusedBits(int bitmap, int count) {
        int used = count & 7;
        if (used != 0 && (bytes[bitmap + (count >> 3)] & 0xFF) >>> used != 0) {
            throw corrupt("unused null bits of 0", bytes[bitmap + (count >> 3)]);
        }
    }

    private SteleException corrupt(String expected, Object found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected "
                        + expected
                        + ", found "
                        + found
                        + (column == null ? "" : " in column '" + column + "'"));
    }

    private SteleException outOfRange(ValueLayout layout, Object found) {
        return new SteleException(
                ErrorCode.TYPE_MISMATCH,
                "Expected a value of type "
                        + layout.type()
                        + " in column '"
                        + column
                        + "', found "
                        + found);
    }
}
