package io.stele.protocol.wire;

/**
 * What one operation of a write batch does; the codes are on disk and never change their meaning.
 */
public enum OperationKind {
    /** Key and row: the row replaces what the key had. */
    UPSERT(1),
    /** Key only: the row is gone; absent keys are no error. */
    DELETE(2),
    /** Key and row; reserved. */
    INSERT_IF_ABSENT(3),
    /** Row only, for tables without a primary key: the shard assigns the row id. */
    APPEND(4);

    private final byte code;

    OperationKind(int code) {
        this.code = (byte) code;
    }

    public byte code() {
        return code;
    }

    /** Whether operations of this kind carry a row. */
    public boolean hasRow() {
        return this != DELETE;
    }

    /** Whether operations of this kind carry a key. */
    public boolean hasKey() {
        return this != APPEND;
    }

    /**
     * The kind of a code.
     *
     * @throws IllegalArgumentException no kind has this code
     */
    public static OperationKind of(byte code) {
        return switch (code) {
            case 1 -> UPSERT;
            case 2 -> DELETE;
            case 3 -> INSERT_IF_ABSENT;
            case 4 -> APPEND;
            default ->
                    throw new IllegalArgumentException(
                            "Expected an operation kind from 1 to 4, found " + code);
        };
    }
}
