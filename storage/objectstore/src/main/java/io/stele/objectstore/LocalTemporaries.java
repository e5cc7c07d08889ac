package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * The place of a local object store's new files before they are published: its own folder, or
 * beside the final name.
 */
sealed interface LocalTemporaries {
    /**
     * Creates a new empty file.
     *
     * @param directory of the final name; exists if {@link #needsTarget}
     */
    Path create(Path directory) throws IOException;

    /** Whether the directory of the final name must exist before the file. */
    boolean needsTarget();

    /**
     * The store's own folder of temporary files, which contains no objects; empty if it has none.
     */
    Optional<Path> folder();

    /** A folder of the store, on the same file system as all its objects. */
    record OwnFolder(Path path) implements LocalTemporaries {
        public OwnFolder {
            requireNonNull(path, "path is null");
        }

        @Override
        public Path create(Path directory) throws IOException {
            return Files.createTempFile(path, "", ".object");
        }

        @Override
        public boolean needsTarget() {
            return false;
        }

        @Override
        public Optional<Path> folder() {
            return Optional.of(path);
        }
    }

    /**
     * The directory of the final name, in a lake that other programs share. Stele creates no folder
     * of its own there, and the lake's users may read the files that this process writes.
     */
    record BesideTarget() implements LocalTemporaries {
        /**
         * The user mask of the process removes from these the permissions that others must not
         * have.
         */
        private static final Set<PosixFilePermission> MASKED =
                PosixFilePermissions.fromString("rw-rw-rw-");

        @Override
        public Path create(Path directory) throws IOException {
            FileAttribute<?>[] attributes =
                    directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(MASKED)}
                            : new FileAttribute<?>[0];
            return Files.createTempFile(directory, ".stele-", ".tmp", attributes);
        }

        @Override
        public boolean needsTarget() {
            return true;
        }

        @Override
        public Optional<Path> folder() {
            return Optional.empty();
        }
    }
}
