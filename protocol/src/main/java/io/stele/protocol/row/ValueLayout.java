package io.stele.protocol.row;

import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.RowType;
import org.jspecify.annotations.Nullable;

/**
 * The binary layout of a type's values in rows, arrays and maps, as a tree as deep as the type.
 * Immutable.
 */
public final class ValueLayout {
    /**
     * The bytes of the slot of a value of variable length, which contains the end of the value as
     * an unsigned 32-bit offset.
     */
    static final int END_WIDTH = 4;

    private final DataType type;
    private final PhysicalForm form;
    private final ValueLimits limits;
    private final @Nullable RowLayout row;
    private final @Nullable ValueLayout first;
    private final @Nullable ValueLayout second;

    ValueLayout(DataType type) {
        this.type = type;
        this.form = type.form();
        this.limits = new ValueLimits(type);
        this.row = type instanceof RowType rowType ? RowLayout.ofFields(rowType) : null;
        if (type instanceof ArrayType array) {
            this.first = new ValueLayout(array.element());
            this.second = null;
        } else if (type instanceof MapType map) {
            this.first = new ValueLayout(map.key());
            this.second = new ValueLayout(map.value());
        } else {
            this.first = null;
            this.second = null;
        }
    }

    public DataType type() {
        return type;
    }

    public PhysicalForm form() {
        return form;
    }

    /** The bytes of a value's slot. */
    int slotWidth() {
        return form.isVariable() ? END_WIDTH : form.width();
    }

    ValueLimits limits() {
        return limits;
    }

    boolean isChar() {
        return limits.isChar;
    }

    /** The layout of a ROW value. */
    public RowLayout row() {
        return present(row, PhysicalForm.ROW);
    }

    /** The layout of an ARRAY value's elements. */
    public ValueLayout element() {
        requireForm(PhysicalForm.ARRAY);
        return present(first, PhysicalForm.ARRAY);
    }

    /** The layout of a MAP value's keys. */
    public ValueLayout key() {
        requireForm(PhysicalForm.MAP);
        return present(first, PhysicalForm.MAP);
    }

    /** The layout of a MAP value's values. */
    public ValueLayout value() {
        return present(second, PhysicalForm.MAP);
    }

    void requireForm(PhysicalForm expected) {
        if (form != expected) {
            throw new IllegalArgumentException(
                    "Expected a value of form " + expected + ", found type " + type);
        }
    }

    private <T> T present(@Nullable T part, PhysicalForm expected) {
        if (part == null) {
            throw new IllegalArgumentException(
                    "Expected a value of form " + expected + ", found type " + type);
        }
        return part;
    }
}
