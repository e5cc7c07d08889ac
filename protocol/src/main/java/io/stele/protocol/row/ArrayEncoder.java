package io.stele.protocol.row;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.PhysicalForm;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An encoder of the elements of an array in a binary row, which {@link ValueEncoder#beginArray}
 * creates and reuses for every array at that place.
 */
public final class ArrayEncoder extends ValueEncoder {
    private static final int COUNT_BYTES = 4;

    private final ValueLayout element;
    private final PhysicalForm form;
    private final int width;
    private final @Nullable MapEncoder map;
    private @Nullable Object child;
    private int count;

    ArrayEncoder(
            ValueLayout element,
            GrowingBytes out,
            @Nullable ValueEncoder parent,
            @Nullable MapEncoder map) {
        super(out, parent);
        this.element = element;
        this.form = element.form();
        this.width = element.slotWidth();
        this.map = map;
    }

    void begin(int elementCount) {
        if (elementCount < 0 || elementCount > RowLayout.MAX_STORED_ROW_BYTES / width) {
            throw new SteleException(
                    ErrorCode.ROW_TOO_LARGE,
                    "Expected an array of 0 to "
                            + RowLayout.MAX_STORED_ROW_BYTES / width
                            + " elements, found "
                            + elementCount);
        }
        count = elementCount;
        start(COUNT_BYTES, count, count * width);
        GrowingBytes.INTS.set(out.array, base, count);
    }

    /** Completes the array. */
    public void end() {
        finishVariable();
        if (map != null) {
            map.arrayEnded();
        } else if (parent != null) {
            parent.childEnded();
        }
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
    int slot(int index) {
        return bitmap + RowLayout.bitmapBytes(count) + Objects.checkIndex(index, count) * width;
    }

    @Override
    int variableOrdinal(int index) {
        return Objects.checkIndex(index, count);
    }

    @Override
    int variableCount() {
        return form.isVariable() ? count : 0;
    }

    @Override
    int variableSlot(int ordinal) {
        return slot(ordinal);
    }

    @Override
    String name(int index) {
        return "element " + index;
    }

    @Override
    RowEncoder rowChild(int index) {
        if (child instanceof RowEncoder existing) {
            return existing;
        }
        RowEncoder created = new RowEncoder(element.row(), out, this);
        child = created;
        return created;
    }

    @Override
    ArrayEncoder arrayChild(int index) {
        if (child instanceof ArrayEncoder existing) {
            return existing;
        }
        ArrayEncoder created = new ArrayEncoder(element.element(), out, this, null);
        child = created;
        return created;
    }

    @Override
    MapEncoder mapChild(int index) {
        if (child instanceof MapEncoder existing) {
            return existing;
        }
        MapEncoder created = new MapEncoder(element, out, this);
        child = created;
        return created;
    }
}
