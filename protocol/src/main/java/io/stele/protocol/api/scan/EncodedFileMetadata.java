package io.stele.protocol.api.scan;

import static java.util.Objects.requireNonNull;

/**
 * The encoded file metadata of a column file, which readers need before its values. It is the
 * sidecar's reply to {@link FileMetadataRequest}, and a writer's request to cache it in the
 * sidecar.
 *
 * @param path of the file in the warehouse
 * @param content in the encoding of the storage module; no bytes if none is cached
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record EncodedFileMetadata(String path, byte[] content) {
    public EncodedFileMetadata {
        requireNonNull(path, "path is null");
        requireNonNull(content, "content is null");
    }
}
