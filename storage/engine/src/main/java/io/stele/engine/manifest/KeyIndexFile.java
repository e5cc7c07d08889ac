package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.api.scan.IndexedMetadata;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A manifest's reference to the key index of a column file, with its size.
 *
 * @param metadataBytes the number of bytes from the column file's metadata, which contain its
 *     checksums, to the end of the index; empty if the checksums are in an object beside the file,
 *     or it has none
 */
public record KeyIndexFile(
        @JsonProperty("path") String path,
        @JsonProperty("sizeBytes") long sizeBytes,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("metadataBytes")
                OptionalInt metadataBytes) {
    public KeyIndexFile {
        requireNonNull(path, "path is null");
        requireNonNull(metadataBytes, "metadataBytes is null");
        if (sizeBytes <= 0) {
            throw new IllegalArgumentException(
                    "Expected a key index size > 0, found " + sizeBytes + " for " + path);
        }
        if (metadataBytes.isPresent()
                && (metadataBytes.getAsInt() <= 0 || metadataBytes.getAsInt() > sizeBytes)) {
            throw new IllegalArgumentException(
                    "Expected 1 to %d bytes of metadata in the key index, found %d for %s"
                            .formatted(sizeBytes, metadataBytes.getAsInt(), path));
        }
    }

    /** A key index without the metadata of its column file. */
    public KeyIndexFile(String path, long sizeBytes) {
        this(path, sizeBytes, OptionalInt.empty());
    }

    Optional<IndexedMetadata> indexedMetadata() {
        return metadataBytes.isPresent()
                ? Optional.of(new IndexedMetadata(sizeBytes, metadataBytes.getAsInt()))
                : Optional.empty();
    }
}
