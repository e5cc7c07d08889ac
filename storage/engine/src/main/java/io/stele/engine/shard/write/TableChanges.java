package io.stele.engine.shard.write;

import java.util.ArrayList;
import java.util.List;

/**
 * The changes of one table that are in flight to the log: the rows of its keys, and the values that
 * its rows claim in each of its unique indexes. Confined to the shard's context.
 */
public final class TableChanges {
    private final InFlightKeys rows = new InFlightKeys();
    private final List<UniqueIndexCheck> checks;
    private final List<InFlightKeys> claims = new ArrayList<>();

    public TableChanges(List<UniqueIndexCheck> checks) {
        this.checks = List.copyOf(checks);
        this.checks.forEach(check -> claims.add(new InFlightKeys()));
    }

    public List<UniqueIndexCheck> checks() {
        return checks;
    }

    public InFlightKeys rows() {
        return rows;
    }

    /** The unique values of the check at this index, each with the primary key that claims them. */
    InFlightKeys claims(int check) {
        return claims.get(check);
    }

    public void keep(long batch) {
        rows.keep(batch);
        claims.forEach(keys -> keys.keep(batch));
    }

    public void takeBack() {
        rows.takeBack();
        claims.forEach(InFlightKeys::takeBack);
    }

    /** Removes the changes of the last kept batch, which is not logged after all. */
    public void undo(long batch) {
        rows.undo(batch);
        claims.forEach(keys -> keys.undo(batch));
    }

    /** Whether a batch in flight has changed the key. */
    public boolean isInFlight(KeySlice key) {
        return rows.findKept(key) != null;
    }

    public void applied(long batch) {
        rows.applied(batch);
        claims.forEach(keys -> keys.applied(batch));
    }
}
