package io.stele.protocol.wire;

/**
 * The kinds of operation of a write batch; the codes are on disk and never change their meaning.
 *
 * <p>The outcome of a conditional operation depends on the row that its key has when its turn
 * comes. It is decided before the batch is logged: the log and the tablets have only {@link
 * #UPSERT}, {@link #DELETE} and {@link #APPEND}.
 */
public enum OperationKind {
    /** Key and row: the row replaces what the key had. */
    UPSERT(1),
    /** Key only: the row is gone; absent keys are no error. */
    DELETE(2),
    /** Key and row: as {@link #UPSERT} if the key has no row, else skipped. */
    INSERT_IF_ABSENT(3),
    /** Row only, for tables without a primary key: the shard assigns the row id. */
    APPEND(4),
    /** Key and row: as {@link #UPSERT} if the key has no row, else the whole batch is refused. */
    INSERT(5),
    /** Key and partial row: the given columns change; skipped if the key has no row. */
    UPDATE(6),
    /** Key and partial row: the given columns change; without a row the others become null. */
    UPDATE_OR_INSERT(7);

    private static final OperationKind[] BY_CODE = values();

    private final byte code;

    OperationKind(int code) {
        this.code = (byte) code;
    }

    public byte code() {
        return code;
    }

    /** Whether operations of this kind carry a row, whole or partial. */
    public boolean hasRow() {
        return this != DELETE;
    }

    /** Whether operations of this kind carry a key. */
    public boolean hasKey() {
        return this != APPEND;
    }

    /** Whether what it does depends on what its key has. */
    public boolean isConditional() {
        return switch (this) {
            case UPSERT, DELETE, APPEND -> false;
            case INSERT_IF_ABSENT, INSERT, UPDATE, UPDATE_OR_INSERT -> true;
        };
    }

    /** Whether its row is a {@link io.stele.protocol.row.PartialRowLayout partial} one. */
    public boolean isPartial() {
        return this == UPDATE || this == UPDATE_OR_INSERT;
    }

    /**
     * The kind of a code.
     *
     * @throws IllegalArgumentException no kind has this code
     */
    public static OperationKind of(byte code) {
        if (code < 1 || code > BY_CODE.length) {
            throw new IllegalArgumentException(
                    "Expected an operation kind from 1 to " + BY_CODE.length + ", found " + code);
        }
        return BY_CODE[code - 1];
    }
}
