package io.stele.sidecar.postgresql.run;

import io.stele.sidecar.postgresql.run.KeyList.Key;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A copy of the changes that a transaction had made in a table when a statement began. Later
 * changes, made while its rows are fetched in parts, are invisible to it.
 *
 * @param byKey the row of each changed key; empty if it was deleted
 * @param appended rows of a table without a primary key
 */
record OwnChanges(Map<Key, Optional<byte[]>> byKey, List<byte[]> appended) {
    static final OwnChanges NONE = new OwnChanges(Map.of(), List.of());

    OwnChanges {
        byKey = Map.copyOf(byKey);
        appended = List.copyOf(appended);
    }
}
