package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/**
 * Asks for what readers of a column file want before its values.
 *
 * @param path of the file, in the warehouse
 */
public record FileMetadataRequest(String path) {
    public FileMetadataRequest {
        requireNonNull(path, "path is null");
    }
}
