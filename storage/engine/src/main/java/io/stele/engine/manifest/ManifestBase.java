package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The reference from a manifest version to its base: an immutable object with the file entries that
 * the version has in common with the versions before it. Later versions refer to it and add their
 * changes.
 *
 * @param version of the manifest whose files they are
 * @param sizeBytes exact size; readers refuse an object of another size
 * @param entryCount number of files
 * @param tailBytes bytes at its end, which give the positions of the files; empty: unknown, as in
 *     older bases
 * @param checksums of the object ({@code FileChecksums}), in base64; empty: they are in an object
 *     beside it, as those of older bases
 * @param sketchBytes size of the object beside it that has the files' sketches; empty: no file has
 *     any, or they are in the base, as those of older bases
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

    /** The path of the sketches. */
    public String sketchesPath() {
        return sketchesPath(path);
    }

    /** The path of the sketches of a base. */
    public static String sketchesPath(String path) {
        return path + ".sketches";
    }
}
