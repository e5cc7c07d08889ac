package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.cache.files.Directories;
import io.stele.cache.files.DurableDirectories;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The folder operations of a local object store on its directories: find, create, list, delete and
 * rename. Immutable.
 */
final class LocalFolders {
    private final Path root;
    private final DurableDirectories directories;

    LocalFolders(Path root) {
        this(root, new DurableDirectories());
    }

    LocalFolders(Path root, DurableDirectories directories) {
        this.root = requireNonNull(root, "root is null");
        this.directories = requireNonNull(directories, "directories is null");
    }

    /**
     * The size and modification time of a file; empty if there is no such file, or it is a
     * directory.
     */
    Optional<ObjectEntry> find(String path, Path file) throws IOException {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            return found.isDirectory() ? Optional.empty() : Optional.of(entry(path, found));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            if (isBelowFile(file)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Whether the nearest existing parent is a file, so that nothing exists below it. */
    private static boolean isBelowFile(Path file) {
        for (Path at = file.getParent(); at != null; at = at.getParent()) {
            if (Files.exists(at)) {
                return !Files.isDirectory(at);
            }
        }
        return false;
    }

    private static ObjectEntry entry(String path, BasicFileAttributes attributes) {
        return new ObjectEntry(path, attributes.size(), attributes.lastModifiedTime().toInstant());
    }

    /** Creates a directory and the directories above it, each durable. */
    void create(Path directory) throws IOException {
        directories.create(directory);
    }

    /** The content of a directory; files that vanish meanwhile are left out. */
    FolderLevel list(Path directory, Optional<Path> hidden) throws IOException {
        List<ObjectEntry> objects = new ArrayList<>();
        List<String> folders = new ArrayList<>();
        try {
            for (Path child : Directories.list(directory)) {
                BasicFileAttributes found = attributes(child);
                if (found == null || hidden.equals(Optional.of(child))) {
                    continue;
                }
                if (found.isDirectory()) {
                    folders.add(child.getFileName().toString());
                } else {
                    objects.add(entry(root.relativize(child).toString(), found));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return FolderLevel.EMPTY;
        }
        objects.sort(Comparator.comparing(ObjectEntry::path));
        folders.sort(Comparator.naturalOrder());
        return new FolderLevel(objects, folders);
    }

    private static @Nullable BasicFileAttributes attributes(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /**
     * @param deleted receives each deleted file
     */
    boolean delete(Path directory, boolean recursive, Consumer<Path> deleted) throws IOException {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        if (recursive) {
            Files.walkFileTree(directory, new Deleter(deleted));
        } else {
            try {
                Files.deleteIfExists(directory);
            } catch (DirectoryNotEmptyException e) {
                DirectoryNotEmptyException named =
                        new DirectoryNotEmptyException(directory.toString());
                named.initCause(e);
                throw named;
            }
        }
        return true;
    }

    /**
     * Deletes the files and directories that it visits; those that vanish meanwhile are no failure.
     */
    private static final class Deleter extends SimpleFileVisitor<Path> {
        private final Consumer<Path> deleted;

        Deleter(Consumer<Path> deleted) {
            this.deleted = requireNonNull(deleted, "deleted is null");
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            Files.deleteIfExists(file);
            deleted.accept(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                throws IOException {
            if (failure != null) {
                throw failure;
            }
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }

    /**
     * Renames a file by a second link, which never replaces another file, and a directory in one
     * step. Of several calls that rename one file at once, the one that removes the old name
     * succeeds. A crash in between may leave both names.
     */
    boolean rename(Path from, Path to) throws IOException {
        if (!Files.exists(from) || Files.exists(to)) {
            return false;
        }
        create(parent(to));
        try {
            return Files.isDirectory(from) ? moveDirectory(from, to) : moveFile(from, to);
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            return false;
        } catch (NoSuchFileException e) {
            if (Files.exists(from)) {
                throw e;
            }
            return false; // another call removed or renamed it
        }
    }

    private boolean moveDirectory(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        directories.sync(parent(to));
        directories.sync(parent(from));
        return true;
    }

    private boolean moveFile(Path from, Path to) throws IOException {
        Files.createLink(to, from);
        directories.sync(parent(to)); // before the old name goes: one of them survives a crash
        if (!Files.deleteIfExists(from)) {
            Files.deleteIfExists(to); // another call removed or renamed it
            return false;
        }
        directories.sync(parent(from));
        return true;
    }

    private static Path parent(Path file) {
        return requireNonNull(file.getParent(), "file has no parent");
    }
}
