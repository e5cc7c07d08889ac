package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.write.WrittenFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A record of all files that one sink begins, kept from before their first byte, so that an abort
 * deletes them from the warehouse. Confined to one thread.
 */
final class SinkFiles {
    /**
     * The most files with sketches in a commit. Sketches are most of a file's description: up to
     * 0.6 kB a column.
     */
    private static final int MAX_SKETCHED_FILES = 1_000;

    private final WriteContext context;
    private final List<WriteContext.FileName> begun = new ArrayList<>();
    private final List<WrittenFile> finished = new ArrayList<>();
    private final Set<String> spills = new LinkedHashSet<>();
    private long finishedBytes;

    SinkFiles(WriteContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    /** Names a new file. */
    WriteContext.FileName begin(int shard) {
        WriteContext.FileName name = context.newFile(shard);
        begun.add(name);
        return name;
    }

    /** Names a new temporary object; it is deleted with the files if it is not deleted before. */
    String beginSpill() {
        // Beside the files, where the sidecar finds the remains of a transaction
        String path = context.newFile(0).stem() + ".spill";
        spills.add(path);
        return path;
    }

    /** Deletes a temporary object whose rows were written elsewhere. */
    void deleteSpill(String path) {
        try {
            context.warehouse().delete(path);
            spills.remove(path);
        } catch (IOException e) {
            // The rows are safe; the sidecar deletes objects that the commit does not name
        }
    }

    void finished(WrittenFile file) {
        // A commit is one message. Without sketches the optimizer knows less until a compaction
        finished.add(finished.size() < MAX_SKETCHED_FILES ? file : file.withoutSketches());
        finishedBytes += file.sizeBytes();
    }

    /** Files that the commit has to name. */
    List<WrittenFile> finished() {
        return List.copyOf(finished);
    }

    long finishedBytes() {
        return finishedBytes;
    }

    /** Deletes all begun files; if one cannot be deleted, the others still are. */
    void delete() throws IOException {
        @Nullable IOException failure = null;
        List<String> paths = new ArrayList<>(spills);
        begun.forEach(name -> paths.addAll(name.paths(context.table())));
        for (String path : paths) {
            try {
                context.warehouse().delete(path);
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        spills.clear();
        begun.clear();
        finished.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
