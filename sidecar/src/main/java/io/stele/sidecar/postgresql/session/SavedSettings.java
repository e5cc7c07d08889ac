package io.stele.sidecar.postgresql.session;

import java.util.Map;
import java.util.Optional;

/**
 * The settings at a savepoint, as far as the transaction block has changed them. Immutable.
 *
 * @param values of the settings that were changed in the block before the savepoint
 * @param beforeLocal values before SET LOCAL, to which COMMIT sets them back
 */
record SavedSettings(
        Map<String, Optional<String>> values, Map<String, Optional<String>> beforeLocal) {
    static final SavedSettings UNCHANGED = new SavedSettings(Map.of(), Map.of());

    SavedSettings {
        values = Map.copyOf(values);
        beforeLocal = Map.copyOf(beforeLocal);
    }
}
