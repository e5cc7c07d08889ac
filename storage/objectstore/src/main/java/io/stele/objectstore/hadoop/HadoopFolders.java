package io.stele.objectstore.hadoop;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.FolderLevel;
import io.stele.objectstore.ObjectEntry;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The folder operations of a Hadoop object store on its directories: find, list, create, delete and
 * rename. Thread-safe; calls are requests to the file system.
 */
final class HadoopFolders {
    private final FileSystem files;
    private final HadoopPublication publication;

    HadoopFolders(FileSystem files, HadoopPublication publication) {
        this.files = requireNonNull(files, "files is null");
        this.publication = requireNonNull(publication, "publication is null");
    }

    private Optional<FileStatus> status(Path path) throws IOException {
        try {
            return Optional.of(files.getFileStatus(path));
        } catch (IOException e) {
            if (HadoopFailures.isMissing(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    Optional<ObjectEntry> find(String path, Path file) throws IOException {
        return status(file).filter(found -> !found.isDirectory()).map(found -> entry(path, found));
    }

    private static ObjectEntry entry(String path, FileStatus status) {
        return new ObjectEntry(
                path, status.getLen(), Instant.ofEpochMilli(status.getModificationTime()));
    }

    boolean exists(Path directory) throws IOException {
        return status(directory).filter(FileStatus::isDirectory).isPresent();
    }

    /**
     * @param start of the children's paths
     */
    FolderLevel list(String start, Path directory, Predicate<FileStatus> isChild)
            throws IOException {
        List<ObjectEntry> objects = new ArrayList<>();
        List<String> folders = new ArrayList<>();
        try {
            RemoteIterator<FileStatus> children = files.listStatusIterator(directory);
            while (children.hasNext()) {
                FileStatus child = children.next();
                String name = child.getPath().getName();
                if (!isChild.test(child)) {
                    continue;
                }
                if (child.isDirectory()) {
                    folders.add(name);
                } else {
                    objects.add(entry(start + name, child));
                }
            }
        } catch (IOException e) {
            if (!HadoopFailures.isMissing(e)) {
                throw e;
            }
        }
        objects.sort(Comparator.comparing(ObjectEntry::path));
        folders.sort(Comparator.naturalOrder());
        return new FolderLevel(objects, folders);
    }

    void create(Path directory) throws IOException {
        if (!files.mkdirs(directory)) {
            throw new IOException("Expected a directory, found something else at " + directory);
        }
    }

    boolean delete(Path directory, boolean recursive) throws IOException {
        try {
            return exists(directory) && files.delete(directory, recursive);
        } catch (FileNotFoundException e) {
            return false;
        } catch (IOException e) {
            if (HadoopFailures.unwrap(e) instanceof PathIsNotEmptyDirectoryException) {
                DirectoryNotEmptyException named =
                        new DirectoryNotEmptyException(directory.toString());
                named.initCause(e);
                throw named;
            }
            throw e;
        }
    }

    boolean rename(Path from, Path to) throws IOException {
        return publication.move(from, to);
    }
}
