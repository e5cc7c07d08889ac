package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A manifest's reference to an object with the progress of all writers that a shard knew at one
 * moment.
 *
 * @param version of the first manifest that refers to it
 */
public record WritersObject(
        @JsonProperty("version") long version, @JsonProperty("path") String path) {
    public WritersObject {
        requireNonNull(path, "path is null");
        if (version < 1) {
            throw new IllegalArgumentException(
                    "Expected a version >= 1, found %d for %s".formatted(version, path));
        }
    }
}
