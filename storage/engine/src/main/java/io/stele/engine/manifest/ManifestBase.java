package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The reference from a manifest version to its base, an immutable object with most of its file
 * entries. Later versions refer to the same base and add their changes.
 *
 * @param version of the manifest whose files the base has
 * @param sizeBytes exact size; readers refuse an object of another size
 * @param entryCount number of files
 * @param tailBytes the length of its file metadata, which are at its end; empty: unknown, as in
 *     older bases
 * @param checksums of the object ({@code FileChecksums}), in base64; empty: they are in an object
 *     beside the base, as in older bases
 * @param sketchBytes the size of the object beside the base that has the files' sketches; empty: no
 *     file has sketches, or they are in the base itself, as in older bases
 * @param entryFormat the layout of its entries ({@link FileEntryCodec#FORMAT}); empty: JSON, as in
 *     older bases
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
                OptionalLong sketchBytes,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("entryFormat")
                OptionalInt entryFormat) {
    public ManifestBase {
        requireNonNull(path, "path is null");
        requireNonNull(tailBytes, "tailBytes is null");
        requireNonNull(checksums, "checksums is null");
        requireNonNull(sketchBytes, "sketchBytes is null");
        requireNonNull(entryFormat, "entryFormat is null");
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

    /** A base in the older format, with all of its parts in one object. */
    public ManifestBase(long version, String path, long sizeBytes, int entryCount) {
        this(
                version,
                path,
                sizeBytes,
                entryCount,
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalInt.empty());
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
