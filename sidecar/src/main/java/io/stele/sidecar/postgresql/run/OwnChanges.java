package io.stele.sidecar.postgresql.run;

import io.stele.sidecar.postgresql.run.KeyList.Key;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The changes that a transaction had made in a table when a statement began: later ones, which come
 * while its rows are fetched in parts, are not for it.
 *
 * @param byKey a row, or none where it was deleted
 * @param appended rows of a table without a primary key
 */
record OwnChanges(Map<Key, Optional<byte[]>> byKey, List<byte[]> appended) {
    static final OwnChanges NONE = new OwnChanges(Map.of(), List.of());

    OwnChanges {
        byKey = Map.copyOf(byKey);
        appended = List.copyOf(appended);
    }
}
