package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A request for the changes of the catalog's metadata since a version.
 *
 * @param since the caller's version; empty if the caller has no metadata
 */
public record MetadataChangesRequest(Optional<MetadataVersion> since) {
    public MetadataChangesRequest {
        requireNonNull(since, "since is null");
    }
}
