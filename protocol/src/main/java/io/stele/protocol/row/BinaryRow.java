package io.stele.protocol.row;

import io.stele.protocol.schema.PhysicalForm;
import java.util.Arrays;

/** A reusable view of one encoded row; columns by position. See {@link RowLayout} for the bytes. */
public final class BinaryRow extends BinaryValues {
    private final RowLayout layout;
    private int offset;
    private int length;

    /** A view without a row until {@link #wrap}. */
    public BinaryRow(RowLayout layout) {
        this.layout = layout;
    }

    /** Points the view at a valid row. */
    public BinaryRow wrap(byte[] source, int rowOffset, int rowLength) {
        bytes = source;
        offset = rowOffset;
        length = rowLength;
        bitmap = rowOffset;
        valuesStart = rowOffset + layout.fixedSize();
        return this;
    }

    public BinaryRow wrap(byte[] source) {
        return wrap(source, 0, source.length);
    }

    public RowLayout rowLayout() {
        return layout;
    }

    /** The start of the row in {@link #array()}. */
    public int offset() {
        return offset;
    }

    /** The length of the row in bytes. */
    public int length() {
        return length;
    }

    /** A copy of the row's bytes. */
    public byte[] toByteArray() {
        return Arrays.copyOfRange(bytes, offset, offset + length);
    }

    @Override
    public int count() {
        return layout.count();
    }

    @Override
    public ValueLayout layout(int index) {
        return layout.value(index);
    }

    @Override
    PhysicalForm form(int index) {
        return layout.forms[index];
    }

    @Override
    int longWidth(int index) {
        return layout.longWidths[index];
    }

    @Override
    int slot(int index) {
        return offset + layout.offsets[index];
    }

    @Override
    int start(int index) {
        int previous = layout.previousEnds[index];
        return previous < 0 ? 0 : (int) GrowingBytes.INTS.get(bytes, offset + previous);
    }
}
