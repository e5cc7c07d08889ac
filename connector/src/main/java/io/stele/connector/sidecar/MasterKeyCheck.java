package io.stele.connector.sidecar;

import io.stele.objectstore.encryption.Encryption.KeyFingerprint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A check that a catalog and its sidecar can read each other's encrypted files. Each must have the
 * master key with which the other one writes now. If both have a key of one id, the keys must be
 * equal. Stateless.
 */
final class MasterKeyCheck {
    private MasterKeyCheck() {}

    /**
     * @param sidecar keys of the sidecar, the one for new objects first
     * @param catalog keys of the catalog, the one for new objects first
     * @param where the sidecar is, for messages
     * @throws SteleException INVALID_ARGUMENT if a key is missing or different; the message names
     *     it and its side
     */
    static void check(List<KeyFingerprint> sidecar, List<KeyFingerprint> catalog, String where) {
        if (sidecar.isEmpty() != catalog.isEmpty()) {
            throw mismatch(
                    sidecar.isEmpty()
                            ? "no master keys, as in the sidecar"
                            : "the sidecar's master keys " + ids(sidecar),
                    catalog.isEmpty() ? "none" : ids(catalog).toString(),
                    where);
        }
        Map<String, String> known = new HashMap<>();
        sidecar.forEach(key -> known.put(key.id(), key.fingerprint()));
        for (KeyFingerprint key : catalog) {
            String expected = known.getOrDefault(key.id(), key.fingerprint());
            if (!expected.equals(key.fingerprint())) {
                throw mismatch(
                        "master key '%s' of fingerprint %s, as in the sidecar"
                                .formatted(key.id(), expected),
                        key.fingerprint(),
                        where);
            }
        }
        if (!sidecar.isEmpty()) {
            requireFirst(sidecar, catalog, "the sidecar encrypts with, in the catalog", where);
            requireFirst(catalog, sidecar, "the catalog encrypts with, in the sidecar", where);
        }
    }

    private static void requireFirst(
            List<KeyFingerprint> writer, List<KeyFingerprint> reader, String what, String where) {
        if (!reader.contains(writer.getFirst())) {
            throw mismatch(
                    "master key '%s', which %s".formatted(writer.getFirst().id(), what),
                    "only " + ids(reader),
                    where);
        }
    }

    private static List<String> ids(List<KeyFingerprint> keys) {
        return keys.stream().map(KeyFingerprint::id).toList();
    }

    private static SteleException mismatch(String expected, String found, String where) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected %s, found %s (stele.encryption.*): %s".formatted(expected, found, where));
    }
}
