package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.List;

/**
 * An object store wrapper for background jobs, such as compactions, whose new objects are written
 * at most at the rate of a {@link WritePacer}.
 */
public final class PacedObjectStore extends ForwardingObjectStore {
    private final WritePacer pacer;

    public PacedObjectStore(ObjectStore store, WritePacer pacer) {
        super(store);
        this.pacer = requireNonNull(pacer, "pacer is null");
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        return new PacedWriter(super.create(path), pacer);
    }

    /** Reads are not paced, so they use the wrapped store directly. */
    @Override
    public ObjectReader open(String path, long sizeBytes) throws IOException {
        return delegate().open(path, sizeBytes);
    }

    @Override
    public ObjectStore admittingOnSecondAccess() {
        return new PacedObjectStore(delegate().admittingOnSecondAccess(), pacer);
    }

    @Override
    public ObjectStore replacing(List<ObjectEntry> replaced) {
        return new PacedObjectStore(delegate().replacing(replaced), pacer);
    }

    private static final class PacedWriter extends ForwardingObjectWriter {
        private final WritePacer pacer;

        private PacedWriter(ObjectWriter writer, WritePacer pacer) {
            super(writer);
            this.pacer = pacer;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            pacer.acquire(length);
            super.write(bytes, offset, length);
        }
    }
}
