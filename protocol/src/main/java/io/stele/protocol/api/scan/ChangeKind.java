package io.stele.protocol.api.scan;

/** The kinds of row changes in a change scan. */
public enum ChangeKind {
    /** There was no row of the key. */
    INSERT(1),
    /** The row took the place of another one of its key. */
    UPDATE(2),
    /** The row is there no more. */
    DELETE(3),
    /** The row before an {@link #UPDATE}, which follows it; only where it is asked for. */
    UPDATE_BEFORE(4);

    private final int code;

    ChangeKind(int code) {
        this.code = code;
    }

    /** The kind of a code. */
    public static ChangeKind of(long code) {
        for (ChangeKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new IllegalArgumentException("Expected the code of a change, 1 to 4, found " + code);
    }

    /** The number of this kind in a stream of changes. */
    public int code() {
        return code;
    }
}
