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

/** The place where a local store writes new files before they get their names. */
sealed interface LocalTemporaries {
    /**
     * A new empty file.
     *
     * @param directory where it will get its name; exists if {@link #needsTarget}
     */
    Path create(Path directory) throws IOException;

    /** Whether the directory of the later name must exist before the file. */
    boolean needsTarget();

    /** The store's own folder of them, which has no objects. */
    Optional<Path> folder();

    /** A folder of the store, of one file system with all of it. */
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
     * The directory of the later name, in a lake that is not this store's alone: it gets no folder
     * of ours, and its users may read what this process writes.
     */
    record BesideTarget() implements LocalTemporaries {
        /** The user mask takes from these what others must not. */
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
