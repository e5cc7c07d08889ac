package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;

/** What the connector needs of a sidecar's {@code GET /v1/status}. */
record SidecarStatus(@JsonProperty("warehousePath") Optional<String> warehousePath) {
    SidecarStatus {
        requireNonNull(warehousePath, "warehousePath is null");
    }
}
