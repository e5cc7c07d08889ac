package io.stele.client;

import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.Rows;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row change of a change feed, mutable and reused: it is valid until the feed moves to the next
 * change.
 */
public final class Change {
    private final BinaryRow row;
    private ChangeKind kind = ChangeKind.INSERT;
    private Lsn lsn = Lsn.MIN;

    Change(BinaryRow row) {
        this.row = row;
    }

    void set(ChangeKind newKind, Lsn newLsn) {
        kind = newKind;
        lsn = newLsn;
    }

    /** The kind of the change. */
    public ChangeKind kind() {
        return kind;
    }

    /** The LSN of the commit, which all changes of the commit share. */
    public Lsn lsn() {
        return lsn;
    }

    /** The written row, or the row before its deletion or update; reused. */
    public BinaryRow row() {
        return row;
    }

    /** A copy of the row's values. */
    public List<@Nullable Object> values() {
        return Rows.toObjects(row);
    }
}
