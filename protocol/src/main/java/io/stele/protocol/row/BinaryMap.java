package io.stele.protocol.row;

import io.stele.protocol.schema.PhysicalForm;

/**
 * A reusable view of one encoded map: two arrays of equal count. See {@link RowLayout} for the
 * bytes.
 */
public final class BinaryMap {
    private final BinaryArray keys;
    private final BinaryArray values;

    /** A view without a map until {@link #wrap}. */
    public BinaryMap(ValueLayout map) {
        map.requireForm(PhysicalForm.MAP);
        this.keys = new BinaryArray(map.key());
        this.values = new BinaryArray(map.value());
    }

    BinaryMap wrap(byte[] bytes, int offset) {
        int keysLength = (int) GrowingBytes.INTS.get(bytes, offset);
        keys.wrap(bytes, offset + 4);
        values.wrap(bytes, offset + 4 + keysLength);
        return this;
    }

    /** The number of pairs. */
    public int count() {
        return keys.count();
    }

    public BinaryArray keys() {
        return keys;
    }

    public BinaryArray values() {
        return values;
    }
}
