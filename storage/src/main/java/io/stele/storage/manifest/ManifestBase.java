package io.stele.storage.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Where the files lie that a manifest version has in common with the versions before it: an
 * immutable object, which later versions name and add their changes to.
 *
 * @param version of the manifest whose files they are
 * @param sizeBytes exact size; readers refuse an object of another size
 * @param entryCount files
 */
public record ManifestBase(
        @JsonProperty("version") long version,
        @JsonProperty("path") String path,
        @JsonProperty("sizeBytes") long sizeBytes,
        @JsonProperty("entryCount") int entryCount) {
    public ManifestBase {
        requireNonNull(path, "path is null");
        if (version < 1 || sizeBytes <= 0 || entryCount < 0) {
            throw new IllegalArgumentException(
                    "Expected a version >= 1, a size > 0 and a count >= 0, found %d, %d and %d for %s"
                            .formatted(version, sizeBytes, entryCount, path));
        }
    }
}
