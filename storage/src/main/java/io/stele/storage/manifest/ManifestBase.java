package io.stele.storage.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Where the files lie that a manifest version has in common with the versions before it: an
 * immutable object, which later versions name and add their changes to.
 *
 * @param version of the manifest whose files they are
 * @param sizeBytes exact size; readers refuse an object of another size
 * @param entryCount files
 * @param tailBytes at its end, which say where the files are; empty: not known, as of bases before
 * @param checksums of the object ({@code FileChecksums}), in base64; empty: they are in an object
 *     beside it, as those of bases before
 * @param sketchBytes size of the object beside it that has the files' sketches; empty: no file has
 *     any, or they are in the base, as those of bases before
 */
public record ManifestBase(
        @JsonProperty("version") long version,
        @JsonProperty("path") String path,
        @JsonProperty("sizeBytes") long sizeBytes,
        @JsonProperty("entryCount") int entryCount,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("tailBytes")
                OptionalInt tailBytes,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("checksums")
                Optional<String> checksums,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("sketchBytes")
                OptionalLong sketchBytes) {
    public ManifestBase {
        requireNonNull(path, "path is null");
        requireNonNull(tailBytes, "tailBytes is null");
        requireNonNull(checksums, "checksums is null");
        requireNonNull(sketchBytes, "sketchBytes is null");
        if (version < 1 || sizeBytes <= 0 || entryCount < 0) {
            throw new IllegalArgumentException(
                    "Expected a version >= 1, a size > 0 and a count >= 0, found %d, %d and %d for %s"
                            .formatted(version, sizeBytes, entryCount, path));
        }
        if (tailBytes.isPresent()
                && (tailBytes.getAsInt() <= 0 || tailBytes.getAsInt() > sizeBytes)) {
            throw new IllegalArgumentException(
                    "Expected a tail of 1 to %d bytes, found %d for %s"
                            .formatted(sizeBytes, tailBytes.getAsInt(), path));
        }
    }

    /** A base with all of its parts in one object, as they were before. */
    public ManifestBase(long version, String path, long sizeBytes, int entryCount) {
        this(
                version,
                path,
                sizeBytes,
                entryCount,
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty());
    }

    /** Where the sketches are. */
    public String sketchesPath() {
        return sketchesPath(path);
    }

    /** Where the sketches of a base are. */
    public static String sketchesPath(String path) {
        return path + ".sketches";
    }
}
