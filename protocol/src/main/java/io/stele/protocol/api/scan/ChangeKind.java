package io.stele.protocol.api.scan;

/** The kinds of row changes in a change scan. */
public enum ChangeKind {
    /** A new row whose key had no row. */
    INSERT(1),
    /** A new row that replaced another row of its key. */
    UPDATE(2),
    /** The deletion of a row. */
    DELETE(3),
    /** The row before an {@link #UPDATE}, which follows it; only on request. */
    UPDATE_BEFORE(4);

    private final int code;

    ChangeKind(int code) {
        this.code = code;
    }

    /** The kind with a code. */
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
