package io.stele.columnfile.index;

import java.nio.charset.StandardCharsets;

/**
 * The kinds of block files, with their format versions and the magic bytes that begin and end each
 * file.
 *
 * <p>The magic and a version once released never change meaning; a new layout is a new version.
 */
public enum FileFormat {
    SST_FILE("STELEROW", 2, 3, "row shard file"),
    KEY_INDEX("STELEKEY", 2, 4, "key index file"),
    DELETE_VECTOR("STELEDEL", 1, 2, "delete vector");

    private final byte[] magic;
    private final int oldestVersion;
    private final int version;
    private final String description;

    FileFormat(String magic, int oldestVersion, int version, String description) {
        this.magic = magic.getBytes(StandardCharsets.US_ASCII);
        this.oldestVersion = oldestVersion;
        this.version = version;
        this.description = description;
    }

    /** A copy of the eight bytes. */
    byte[] magic() {
        return magic.clone();
    }

    /** The lowest version that is read. */
    int oldestVersion() {
        return oldestVersion;
    }

    /** The version that is written, and the highest that is read. */
    int version() {
        return version;
    }

    /** The name of such a file in error messages. */
    String description() {
        return description;
    }
}
