package io.stele.protocol.api.scan;

import static java.util.Objects.requireNonNull;

/**
 * A request for the cached file metadata of a column file, which readers need before its values.
 *
 * @param path of the file in the warehouse
 */
public record FileMetadataRequest(String path) {
    public FileMetadataRequest {
        requireNonNull(path, "path is null");
    }
}
