package io.stele.paimon.image;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.local.LocalFileIO;
import org.jspecify.annotations.Nullable;

/** A local folder that records the requests for its files, and can be made to fail. Thread-safe. */
final class RecordedFiles extends LocalFileIO {
    private static final long serialVersionUID = 1L;

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile @Nullable String failing;

    /** The names of files opened, looked for or listed since {@link #clear}. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    void clear() {
        requests.clear();
    }

    /** Requests for files whose name has {@code part} fail from now on; null: none. */
    void fail(@Nullable String part) {
        failing = part;
    }

    @Override
    public SeekableInputStream newInputStream(Path path) throws IOException {
        record(path);
        return super.newInputStream(path);
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        record(path);
        return super.getFileStatus(path);
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        record(path);
        return super.listStatus(path);
    }

    @Override
    public boolean exists(Path path) throws IOException {
        record(path);
        return super.exists(path);
    }

    private void record(Path path) throws IOException {
        requests.add(path.getName());
        String part = failing;
        if (part != null && path.getName().contains(part)) {
            throw new IOException("no answer for " + path);
        }
    }
}
