package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.WrittenFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of one sink, from before their first byte on, so that a writer that is interrupted in
 * the middle of one leaves nothing. Confined to one thread.
 */
final class SinkFiles {
    private final WriteContext context;
    private final List<WriteContext.FileName> begun = new ArrayList<>();
    private final List<WrittenFile> finished = new ArrayList<>();
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

    void finished(WrittenFile file) {
        finished.add(file);
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
        for (WriteContext.FileName name : begun) {
            for (String path : name.paths(context.table())) {
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
        }
        begun.clear();
        finished.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
