package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The reply of a sidecar's {@code GET /v1/info}; the ports are 0 until it is ready. */
record SidecarInfo(
        @JsonProperty("nodeId") String nodeId,
        @JsonProperty("ready") boolean ready,
        @JsonProperty("flightPort") int flightPort,
        @JsonProperty("clientPort") int clientPort) {
    SidecarInfo {
        requireNonNull(nodeId, "nodeId is null");
    }
}
