package io.stele.engine.shard;

import io.stele.engine.manifest.DeletionVectorFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.tablet.TableShard;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The object of a table's files that a failure is about. Readers of a file put its path into the
 * message of their exception, so it is searched for there.
 */
public final class FailedFile {
    private static final int MAX_CAUSES = 20; // a chain may be a circle

    private FailedFile() {}

    /** Of one file; its main object if the failure names none. */
    public static String of(FileEntry file, Throwable failure) {
        return named(objects(file), failure).orElse(file.path());
    }

    /** Of all files that a table has; empty if the failure names none of them. */
    static Optional<String> find(TableShard table, Throwable failure) {
        return named(table.view().files().flatMap(FailedFile::objects), failure);
    }

    private static Stream<String> objects(FileEntry file) {
        return Stream.concat(
                file.immutablePaths().stream(),
                file.deletionVector().map(DeletionVectorFile::path).stream());
    }

    /** The longest: the name of a file is the beginning of that of its checksums. */
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
