package io.stele.protocol.row;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.PhysicalForm;
import org.jspecify.annotations.Nullable;

/**
 * A reusable in-memory encoder of binary rows: {@link #reset()}, set columns, {@link #finish()},
 * read {@link #array()}. See {@link RowLayout} for the bytes. Confined to one thread.
 */
public final class RowEncoder extends ValueEncoder {
    private final RowLayout layout;
    private final Object[] children;

    public RowEncoder(RowLayout layout) {
        this(layout, GrowingBytes.forRow(), null);
        begin();
    }

    private RowEncoder(RowLayout layout, GrowingBytes out) {
        this(layout, out, null);
        begin();
    }

    /** An encoder of stored rows, which may be larger than new rows. */
    public static RowEncoder ofStored(RowLayout layout) {
        return new RowEncoder(layout, GrowingBytes.forStored("row"));
    }

    RowEncoder(RowLayout layout, GrowingBytes out, @Nullable ValueEncoder parent) {
        super(out, parent);
        this.layout = layout;
        this.children = new Object[layout.count()];
    }

    public RowLayout rowLayout() {
        return layout;
    }

    /** Starts a new row at the beginning of the buffer; all columns are null. */
    public void reset() {
        if (parent != null) {
            throw new IllegalStateException("Expected reset() on the outermost row only");
        }
        out.clear();
        begin();
    }

    /**
     * Completes the row and returns its length; its bytes are the first of {@link #array()} until
     * the next reset.
     *
     * @throws SteleException NULL_KEY if a NOT NULL column was not set
     */
    public int finish() {
        finishVariable();
        byte[] mask = layout.notNullMask;
        for (int i = 0; i < mask.length; i++) {
            int missing = out.array[bitmap + i] & mask[i];
            if (missing != 0) {
                int index = i * 8 + Integer.numberOfTrailingZeros(missing);
                throw new SteleException(
                        ErrorCode.NULL_KEY,
                        "Expected a value in NOT NULL column " + name(index) + ", found null");
            }
        }
        return out.length;
    }

    /** Completes a nested row. */
    public void end() {
        if (parent == null) {
            throw new IllegalStateException(
                    "Expected end() on a nested row only; the outermost row has finish()");
        }
        finishVariable();
        parent.childEnded();
    }

    /** The buffer: the row is its first {@link #finish()} bytes. */
    public byte[] array() {
        return out.array;
    }

    /** {@link #finish()} and a copy of the row. */
    public byte[] finishToArray() {
        finish();
        return out.toByteArray();
    }

    void begin() {
        int bitmapBytes = RowLayout.bitmapBytes(layout.count());
        start(0, layout.count(), layout.fixedSize() - bitmapBytes);
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
    int slot(int index) {
        return base + layout.offsets[index];
    }

    @Override
    int variableOrdinal(int index) {
        return layout.variableOrdinals[index];
    }

    @Override
    int variableCount() {
        return layout.variableColumns.length;
    }

    @Override
    int variableSlot(int ordinal) {
        return base + layout.offsets[layout.variableColumns[ordinal]];
    }

    @Override
    String name(int index) {
        return "'" + layout.name(index) + "'";
    }

    @Override
    RowEncoder rowChild(int index) {
        if (children[index] instanceof RowEncoder child) {
            return child;
        }
        RowEncoder child = new RowEncoder(layout(index).row(), out, this);
        children[index] = child;
        return child;
    }

    @Override
    ArrayEncoder arrayChild(int index) {
        if (children[index] instanceof ArrayEncoder child) {
            return child;
        }
        ArrayEncoder child = new ArrayEncoder(layout(index).element(), out, this, null);
        children[index] = child;
        return child;
    }

    @Override
    MapEncoder mapChild(int index) {
        if (children[index] instanceof MapEncoder child) {
            return child;
        }
        MapEncoder child = new MapEncoder(layout(index), out, this);
        children[index] = child;
        return child;
    }
}
