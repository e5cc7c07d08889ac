package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.objectstore.encryption.Encryption.KeyFingerprint;
import java.util.List;
import java.util.Optional;

/**
 * The warehouse path and master keys in a sidecar's reply to {@code GET /v1/warehouse}, which the
 * connector uses or checks when it opens the warehouse.
 *
 * @param encryptionKeys fingerprints of the master keys, the one for new objects first; empty while
 *     the sidecar starts
 */
record SidecarWarehouse(
        @JsonProperty("warehousePath") Optional<String> warehousePath,
        @JsonProperty("encryptionKeys") Optional<List<KeyFingerprint>> encryptionKeys) {
    SidecarWarehouse {
        requireNonNull(warehousePath, "warehousePath is null");
        requireNonNull(encryptionKeys, "encryptionKeys is null");
    }
}
