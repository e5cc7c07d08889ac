package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * Asks what is different since a version.
 *
 * @param since what the caller knows; empty: nothing
 */
public record MetadataChangesRequest(Optional<MetadataVersion> since) {
    public MetadataChangesRequest {
        requireNonNull(since, "since is null");
    }
}
