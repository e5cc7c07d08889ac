package io.stele.objectstore;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Objects that are written now and published later, together and in the order in which they would
 * have been. Confined to one thread at a time.
 *
 * <p>Invariant: none of them is visible before {@link #run}, and {@link #giveUp} leaves none but
 * those that {@code run} had published before it failed.
 */
public final class DeferredCommits implements ParallelWrites.Write {
    private final Deque<Late> late = new ArrayDeque<>();

    /** A store whose new objects are among them. */
    public ObjectStore over(ObjectStore store) {
        return new Store(store, this);
    }

    /** Publishes all of them. */
    @Override
    public void run() throws IOException {
        try (Closeable _ = this::giveUp) { // of nothing, unless one fails
            while (!late.isEmpty()) {
                late.removeFirst().commit();
            }
        }
    }

    /** Throws those away that are not published: each, also if others fail. */
    @Override
    public void giveUp() throws IOException {
        List<Late> left = new ArrayList<>(late);
        late.clear();
        CloseAll.of(left);
    }

    /** An object whose bytes are there. */
    private interface Late extends Closeable {
        void commit() throws IOException;
    }

    private record LateWriter(ObjectWriter writer) implements Late {
        @Override
        public void commit() throws IOException {
            try (writer) {
                writer.commit();
            }
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }

    private record LateContent(ObjectStore store, String path, byte[] content) implements Late {
        @Override
        public void commit() throws IOException {
            store.put(path, content);
        }

        @Override
        public void close() {}
    }

    private static final class Store extends ForwardingObjectStore {
        private final DeferredCommits commits;

        private Store(ObjectStore store, DeferredCommits commits) {
            super(store);
            this.commits = commits;
        }

        @Override
        public ObjectWriter create(String path) throws IOException {
            return new Writer(super.create(path), commits);
        }

        @Override
        public void put(String path, byte[] content) {
            commits.late.add(new LateContent(delegate(), path, content));
        }
    }

    private static final class Writer extends ForwardingObjectWriter {
        private final ObjectWriter writer;
        private final DeferredCommits commits;
        private boolean isLate;

        private Writer(ObjectWriter writer, DeferredCommits commits) {
            super(writer);
            this.writer = writer;
            this.commits = commits;
        }

        @Override
        public void commit() {
            isLate = true;
            commits.late.add(new LateWriter(writer));
        }

        @Override
        public void close() throws IOException {
            if (!isLate) {
                writer.close();
            }
        }
    }
}
