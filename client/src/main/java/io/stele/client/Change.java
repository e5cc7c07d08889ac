package io.stele.client;

import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.Rows;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A change of one row. Valid until the feed that passed it on goes to the next one. */
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

    /** What happened to the row. */
    public ChangeKind kind() {
        return kind;
    }

    /** When: the LSN of the commit, which all its changes share. */
    public Lsn lsn() {
        return lsn;
    }

    /** The row as it was written, or as it was before it was deleted or updated; reused. */
    public BinaryRow row() {
        return row;
    }

    /** A copy of its values. */
    public List<@Nullable Object> values() {
        return Rows.toObjects(row);
    }
}
