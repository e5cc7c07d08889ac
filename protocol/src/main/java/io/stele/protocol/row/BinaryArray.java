package io.stele.protocol.row;

import io.stele.protocol.schema.PhysicalForm;
import java.util.Objects;

/** A reusable view of the elements of one encoded array. See {@link RowLayout} for the bytes. */
public final class BinaryArray extends BinaryValues {
    private final ValueLayout element;
    private final PhysicalForm form;
    private final int width;
    private int count;
    private int slots;

    /** A view without an array until {@link #wrap}. */
    public BinaryArray(ValueLayout element) {
        this.element = element;
        this.form = element.form();
        this.width = element.slotWidth();
    }

    BinaryArray wrap(byte[] source, int offset) {
        bytes = source;
        count = (int) GrowingBytes.INTS.get(source, offset);
        bitmap = offset + 4;
        slots = bitmap + RowLayout.bitmapBytes(count);
        valuesStart = slots + count * width;
        return this;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public ValueLayout layout(int index) {
        return element;
    }

    @Override
    PhysicalForm form(int index) {
        return form;
    }

    @Override
    int longWidth(int index) {
        return form.isLong() ? width : 0;
    }

    @Override
    int slot(int index) {
        return slots + Objects.checkIndex(index, count) * width;
    }

    @Override
    int start(int index) {
        return index == 0 ? 0 : (int) GrowingBytes.INTS.get(bytes, slot(index - 1));
    }
}
