package io.stele.objectstore;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The written but unpublished objects of a column file in progress, published later by {@link #run}
 * in their original order. Confined to one thread at a time.
 *
 * <p>Invariant: no object is visible before {@link #run}. {@link #giveUp} discards all objects that
 * {@code run} has not published.
 */
public final class DeferredCommits implements ParallelWrites.Write {
    private final Deque<Late> late = new ArrayDeque<>();

    /** A store whose new objects are published by {@link #run}. */
    public ObjectStore over(ObjectStore store) {
        return new Store(store, this);
    }

    /** Publishes all objects. */
    @Override
    public void run() throws IOException {
        try (Closeable _ = this::giveUp) { // gives up nothing, unless a commit fails
            while (!late.isEmpty()) {
                late.removeFirst().commit();
            }
        }
    }

    /** Discards the unpublished objects, each of them even after a failure of another. */
    @Override
    public void giveUp() throws IOException {
        List<Late> left = new ArrayList<>(late);
        late.clear();
        CloseAll.of(left);
    }

    /** An unpublished object whose bytes are complete. */
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
