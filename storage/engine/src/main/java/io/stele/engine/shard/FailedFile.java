package io.stele.engine.shard;

import io.stele.engine.manifest.DeletionVectorFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.tablet.TableShard;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A finder of the stored object that a failed read of a table was about, among the objects of the
 * table's files. Readers of a file put its path into the message of their exception, so the
 * messages are searched for paths.
 */
public final class FailedFile {
    private static final int MAX_CAUSES = 20; // a chain may be a circle

    private FailedFile() {}

    /** The object of one file that a failure names; its main object if the failure names none. */
    public static String of(FileEntry file, Throwable failure) {
        return named(objects(file), failure).orElse(file.path());
    }

    /**
     * The object of any of a table's files that a failure names; empty if it names none of them.
     */
    static Optional<String> find(TableShard table, Throwable failure) {
        return named(table.view().files().flatMap(FailedFile::objects), failure);
    }

    private static Stream<String> objects(FileEntry file) {
        return Stream.concat(
                file.immutablePaths().stream(),
                file.deletionVector().map(DeletionVectorFile::path).stream());
    }

    /**
     * The longest path in the messages, since a file's path is a prefix of the path of its
     * checksums.
     */
    private static Optional<String> named(Stream<String> objects, Throwable failure) {
        StringBuilder messages = new StringBuilder();
        Throwable next = failure;
        for (int i = 0; next != null && i < MAX_CAUSES; i++) {
            messages.append(next.getMessage()).append('\n');
            next = next.getCause();
        }
        return objects.filter(object -> messages.indexOf(object) >= 0)
                .max(Comparator.comparingInt(String::length));
    }
}
