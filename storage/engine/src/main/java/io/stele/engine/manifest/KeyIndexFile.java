package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The location and size of the key index of a column file, as the manifest has them. */
public record KeyIndexFile(
        @JsonProperty("path") String path, @JsonProperty("sizeBytes") long sizeBytes) {
    public KeyIndexFile {
        requireNonNull(path, "path is null");
        if (sizeBytes <= 0) {
            throw new IllegalArgumentException(
                    "Expected a key index size > 0, found " + sizeBytes + " for " + path);
        }
    }
}
