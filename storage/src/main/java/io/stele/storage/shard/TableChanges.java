package io.stele.storage.shard;

import java.util.ArrayList;
import java.util.List;

/**
 * What is on its way to the log in one table: the rows of its keys, and what each of its checks
 * noted. Confined to the shard's context.
 */
final class TableChanges {
    private final InFlightKeys rows = new InFlightKeys();
    private final List<ChangeCheck> checks;
    private final List<InFlightKeys> noted = new ArrayList<>();

    TableChanges(List<ChangeCheck> checks) {
        this.checks = List.copyOf(checks);
        this.checks.forEach(check -> noted.add(new InFlightKeys()));
    }

    List<ChangeCheck> checks() {
        return checks;
    }

    InFlightKeys rows() {
        return rows;
    }

    /** The notes of a check, by its place. */
    InFlightKeys noted(int check) {
        return noted.get(check);
    }

    void keep(long batch) {
        rows.keep(batch);
        noted.forEach(keys -> keys.keep(batch));
    }

    void takeBack() {
        rows.takeBack();
        noted.forEach(InFlightKeys::takeBack);
    }

    void applied(long batch) {
        rows.applied(batch);
        noted.forEach(keys -> keys.applied(batch));
    }

    boolean isEmpty() {
        return rows.size() == 0 && noted.stream().allMatch(keys -> keys.size() == 0);
    }
}
