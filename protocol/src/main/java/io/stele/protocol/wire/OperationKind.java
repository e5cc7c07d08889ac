package io.stele.protocol.wire;

/**
 * The kinds of operations of a write batch, as clients send them; the codes are on disk and never
 * change their meaning.
 *
 * <p>The outcome of a conditional operation depends on the present row of its key. The shard
 * decides it before it logs the batch, so the log and the tablets have only {@link #UPSERT}, {@link
 * #DELETE} and {@link #APPEND}.
 */
public enum OperationKind {
    /** Key and row: the row replaces the row of the key, if there is one. */
    UPSERT(1),
    /** Key only: deletes the row; absent keys are no error. */
    DELETE(2),
    /** Key and row: as {@link #UPSERT} if the key has no row, else skipped. */
    INSERT_IF_ABSENT(3),
    /** Row only, for tables without a primary key: the shard assigns the row id. */
    APPEND(4),
    /** Key and row: as {@link #UPSERT} if the key has no row, else the whole batch is refused. */
    INSERT(5),
    /** Key and partial row: the given columns change; skipped if the key has no row. */
    UPDATE(6),
    /**
     * Key and partial row: the given columns change; if the key has no row, the other columns
     * become null.
     */
    UPDATE_OR_INSERT(7);

    private static final OperationKind[] BY_CODE = values();

    private final byte code;

    OperationKind(int code) {
        this.code = (byte) code;
    }

    public byte code() {
        return code;
    }

    /** Whether operations of this kind have a row, whole or partial. */
    public boolean hasRow() {
        return this != DELETE;
    }

    /** Whether operations of this kind have a key. */
    public boolean hasKey() {
        return this != APPEND;
    }

    /** Whether the effect depends on the present row of the key. */
    public boolean isConditional() {
        return switch (this) {
            case UPSERT, DELETE, APPEND -> false;
            case INSERT_IF_ABSENT, INSERT, UPDATE, UPDATE_OR_INSERT -> true;
        };
    }

    /** Whether the row is {@link io.stele.protocol.row.PartialRowLayout partial}. */
    public boolean isPartial() {
        return this == UPDATE || this == UPDATE_OR_INSERT;
    }

    /**
     * The kind of a code.
     *
     * @throws IllegalArgumentException if no kind has this code
     */
    public static OperationKind of(byte code) {
        if (code < 1 || code > BY_CODE.length) {
            throw new IllegalArgumentException(
                    "Expected an operation kind from 1 to " + BY_CODE.length + ", found " + code);
        }
        return BY_CODE[code - 1];
    }
}
