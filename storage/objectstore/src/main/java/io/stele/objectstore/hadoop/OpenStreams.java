package io.stele.objectstore.hadoop;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * A cache of open input streams of recently read Hadoop files. It saves the request to the name
 * node for block locations that each opening costs.
 *
 * <p>It is for files that do not change. A caller that deletes or replaces a file must call {@link
 * #forget}.
 *
 * <p>Thread-safe: guarded by its own lock. Streams are opened, read and closed outside the lock.
 */
final class OpenStreams implements Closeable {
    private final FileSystem files;
    private final int maxStreams;
    private final LinkedHashMap<Path, Stream> streams = new LinkedHashMap<>(16, 0.75f, true);

    /** A stream and its readers. Guarded by the lock of the outer class. */
    private static final class Stream {
        private final FSDataInputStream input;
        private int readers = 1;
        private boolean forgotten;

        Stream(FSDataInputStream input) {
            this.input = input;
        }
    }

    /** A read at a position of its own. */
    interface Read {
        void from(FSDataInputStream input) throws IOException;
    }

    OpenStreams(FileSystem files, int maxStreams) {
        this.files = files;
        this.maxStreams = maxStreams;
    }

    /** Runs a read; runs it once more on a new stream if it fails on one that was open already. */
    void read(Path path, Read read) throws IOException {
        Stream open = find(path);
        if (open != null) {
            try {
                read(path, open, read);
                return;
            } catch (IOException e) {
                // Its blocks may have moved, or the file is gone: opening it again asks the name
                // node
                forget(path);
            }
        }
        read(path, opened(path), read);
    }

    private void read(Path path, Stream stream, Read read) throws IOException {
        boolean done = false;
        try {
            read.from(stream.input);
            done = true;
        } finally {
            if (!done) {
                forget(path);
            }
            release(stream);
        }
    }

    private synchronized @Nullable Stream find(Path path) {
        Stream stream = streams.get(path);
        if (stream != null) {
            stream.readers++;
        }
        return stream;
    }

    private Stream opened(Path path) throws IOException {
        Stream stream = new Stream(files.open(path));
        List<Stream> unused = new ArrayList<>();
        synchronized (this) {
            // Another thread may have opened it meanwhile: the newer one stays
            drop(streams.put(path, stream), unused);
            while (streams.size() > maxStreams) {
                Map.Entry<Path, Stream> eldest = streams.entrySet().iterator().next();
                streams.remove(eldest.getKey());
                drop(eldest.getValue(), unused);
            }
        }
        unused.forEach(OpenStreams::close);
        return stream;
    }

    /** Marks a stream that was removed from the map; its last reader closes it. */
    private static void drop(@Nullable Stream stream, List<Stream> unused) {
        if (stream != null) {
            stream.forgotten = true;
            if (stream.readers == 0) {
                unused.add(stream);
            }
        }
    }

    private void release(Stream stream) {
        boolean close;
        synchronized (this) {
            stream.readers--;
            close = stream.forgotten && stream.readers == 0;
        }
        if (close) {
            close(stream);
        }
    }

    /** Makes the next read open the file again. Called after the file was deleted or replaced. */
    void forget(Path path) {
        List<Stream> unused = new ArrayList<>();
        synchronized (this) {
            drop(streams.remove(path), unused);
        }
        unused.forEach(OpenStreams::close);
    }

    private static void close(Stream stream) {
        try {
            stream.input.close();
        } catch (IOException e) {
            // opened for reading only: there is nothing to lose
        }
    }

    @Override
    public void close() {
        List<Stream> unused = new ArrayList<>();
        synchronized (this) {
            streams.values().forEach(stream -> drop(stream, unused));
            streams.clear();
        }
        unused.forEach(OpenStreams::close);
    }
}
