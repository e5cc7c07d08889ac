package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.DeletionVector;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * A reader of the deletion vectors that a start needs from the store, many at a time. They are the
 * only part of files that a start needs and manifests do not have. Files without deletions have
 * none.
 *
 * <p>Confined to one thread, which first requests the deletion vectors of all files and then waits
 * for each.
 */
public final class StoredDeletes {
    private final TableFiles files;
    private final Executor executor;
    private final Map<String, StartTask<DeletionVector>> read = new HashMap<>(); // by path
    private volatile boolean isGivenUp;

    /**
     * @param executor runs calls that wait for the store; accepts every task
     */
    public StoredDeletes(TableFiles files, Executor executor) {
        this.files = requireNonNull(files, "files is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    TableFiles files() {
        return files;
    }

    /** Begins to read the deletion vectors of some files; never fails. */
    public void read(List<FileEntry> entries) {
        for (FileEntry entry : entries) {
            if (entry.deletionVector().isPresent()) {
                read.put(entry.path(), StartTask.begin(executor, () -> read(entry)));
            }
        }
    }

    private DeletionVector read(FileEntry entry) throws IOException {
        if (isGivenUp) {
            throw new IOException("The start that wanted " + entry.path() + " has ended");
        }
        return files.readDeletes(entry);
    }

    /** Cancels the reads that have not begun, because the start has failed. */
    public void giveUp() {
        isGivenUp = true;
    }

    /**
     * The deletion vector of a file; waits for it.
     *
     * @throws IOException or any other exception when it cannot be read
     */
    DeletionVector of(FileEntry entry) throws IOException {
        return entry.deletionVector().isEmpty()
                ? new DeletionVector()
                : requireNonNull(read.remove(entry.path()), "the file was not asked for").get();
    }
}
