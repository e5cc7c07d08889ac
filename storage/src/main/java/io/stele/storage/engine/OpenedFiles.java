package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.storage.manifest.FileEntry;
import io.stele.storage.manifest.FileKind;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.RowFile;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableVersions;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * The files of a node that starts, opened many at a time: each takes the store a few requests one
 * after the other, and a node has thousands of files.
 *
 * <p>Confined to one thread, which asks for all files first and for what came of each of them then.
 */
final class OpenedFiles {
    private final TableFiles files;
    private final Executor executor;
    private final Map<String, StartTask<Object>> opened = new HashMap<>(); // by path
    private volatile boolean isGivenUp;

    /**
     * @param executor of calls that wait for the store; takes every one
     */
    OpenedFiles(TableFiles files, Executor executor) {
        this.files = requireNonNull(files, "files is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    /** Begins to open files of a table; fails never. */
    void open(List<FileEntry> entries, TableVersions versions) {
        for (FileEntry entry : entries) {
            opened.put(entry.path(), StartTask.begin(executor, () -> open(entry, versions)));
        }
    }

    private Object open(FileEntry entry, TableVersions versions) throws IOException {
        if (isGivenUp) {
            throw new IOException("The start that wanted " + entry.path() + " has ended");
        }
        return isRow(entry) ? files.openRow(entry, versions) : files.openColumn(entry, versions);
    }

    /** Those that are not begun are not opened any more: who wanted them has failed. */
    void giveUp() {
        isGivenUp = true;
    }

    /** Entries of an index are in row files as well. */
    private static boolean isRow(FileEntry entry) {
        return entry.indexId().isPresent() || entry.kind() == FileKind.ROW;
    }

    /**
     * One of them that has rows; waits for it.
     *
     * @throws IOException, as well as any other exception, if it cannot be opened
     */
    RowFile row(FileEntry entry) throws IOException {
        return (RowFile) get(entry);
    }

    /** As {@link #row}, of one that has columns. */
    ColumnFile column(FileEntry entry) throws IOException {
        return (ColumnFile) get(entry);
    }

    private Object get(FileEntry entry) throws IOException {
        return requireNonNull(opened.remove(entry.path()), "the file was not asked for").get();
    }
}
