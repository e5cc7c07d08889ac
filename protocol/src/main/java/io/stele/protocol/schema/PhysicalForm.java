package io.stele.protocol.schema;

/**
 * The physical representations of a type's values in memory: in rows, in keys and in statistics.
 */
public enum PhysicalForm {
    /** One byte, 0 or 1. */
    BOOLEAN(1),
    INT8(1),
    INT16(2),
    INT32(4),
    INT64(8),
    FLOAT32(4),
    FLOAT64(8),
    /**
     * 16 bytes, big-endian two's complement: a decimal of more than 18 digits, a wide timestamp.
     */
    INT128(16),
    /** 16 bytes, big-endian: a UUID. */
    FIXED16(16),
    /** Any number of bytes: text as UTF-8, binary unchanged. */
    BYTES(0),
    ARRAY(0),
    MAP(0),
    ROW(0);

    private final int width;

    PhysicalForm(int width) {
        this.width = width;
    }

    /** The bytes of a value; 0 for values of variable length. */
    public int width() {
        return width;
    }

    /** Whether values have variable length. */
    public boolean isVariable() {
        return width == 0;
    }

    /** Whether {@code longAt} and {@code setLong} apply. */
    public boolean isLong() {
        return this == INT64 || this == INT32 || this == INT16 || this == INT8;
    }

    /** Whether values are structures of other values. */
    public boolean isNested() {
        return this == ARRAY || this == MAP || this == ROW;
    }
}
