package io.stele.engine.compaction.output;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.WrittenFileMetadata;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.DeletionVector;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.row.TableVersions;
import io.stele.objectstore.DeferredCommits;
import io.stele.objectstore.ParallelWrites;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A complete column file with its indexes, whose objects are not yet committed, which any thread
 * can publish to the store and open. It is handed from one thread to the next.
 */
final class FinishedFile implements ParallelWrites.Write {
    private static final long OBJECTS = 2; // data and key index
    private static final long FIRST_BUFFER_BYTES = 64 << 10; // of a writer to S3
    private static final long COPIES = 2; // for the store, and for the data page cache

    private final TableFiles files;
    private final DeferredCommits commits;
    private final FileEntry entry;
    private final TableVersions versions;
    private @Nullable DeletionVector deletes; // both null once the file is opened
    private @Nullable WrittenFileMetadata end;
    private @Nullable ColumnFile opened;

    /**
     * @param commits the deferred commits of the file's objects
     * @param end the metadata that the file's first readers need
     */
    FinishedFile(
            TableFiles files,
            DeferredCommits commits,
            FileEntry entry,
            DeletionVector deletes,
            TableVersions versions,
            WrittenFileMetadata end) {
        this.files = requireNonNull(files, "files is null");
        this.commits = requireNonNull(commits, "commits is null");
        this.entry = requireNonNull(entry, "entry is null");
        this.deletes = requireNonNull(deletes, "deletes is null");
        this.versions = requireNonNull(versions, "versions is null");
        this.end = requireNonNull(end, "end is null");
    }

    /**
     * An upper bound of the memory until the file is published, in bytes: its objects, whose
     * buffers grow by doubling, for the store and for the data page cache, and its metadata.
     */
    long heldBytes() {
        long objectBytes = entry.sizeBytes() + entry.keyIndex().orElseThrow().sizeBytes();
        return OBJECTS * FIRST_BUFFER_BYTES
                + COPIES * 2 * objectBytes
                + requireNonNull(end, "end is null").heldBytes();
    }

    @Override
    public void run() throws IOException {
        commits.run();
        opened =
                files.openWritten(
                        entry,
                        requireNonNull(deletes, "deletes is null"),
                        versions,
                        requireNonNull(end, "end is null"));
        deletes = null;
        end = null;
    }

    @Override
    public void giveUp() throws IOException {
        commits.giveUp();
    }

    /** The opened file; only after {@link #run}. */
    ColumnFile opened() {
        return requireNonNull(opened, "file is not published");
    }
}
