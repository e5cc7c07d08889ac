package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.storage.encryption.Encryption.KeyFingerprint;
import java.util.List;
import java.util.Optional;

/**
 * What the connector needs of a sidecar's {@code GET /v1/status}.
 *
 * @param encryptionKeys the one for new objects first; nothing while the sidecar starts
 */
record SidecarStatus(
        @JsonProperty("warehousePath") Optional<String> warehousePath,
        @JsonProperty("encryptionKeys") Optional<List<KeyFingerprint>> encryptionKeys) {
    SidecarStatus {
        requireNonNull(warehousePath, "warehousePath is null");
        requireNonNull(encryptionKeys, "encryptionKeys is null");
    }
}
