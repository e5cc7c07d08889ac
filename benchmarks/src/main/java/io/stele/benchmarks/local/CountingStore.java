package io.stele.benchmarks.local;

import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ForwardingObjectWriter;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;

/** A store that counts the bytes written into it. */
public final class CountingStore extends ForwardingObjectStore {
    private final LongAdder dataBytes = new LongAdder();
    private final LongAdder otherBytes = new LongAdder();

    public CountingStore(ObjectStore store) {
        super(store);
    }

    /** Bytes of SST files, column files and key indexes. */
    public long dataBytes() {
        return dataBytes.sum();
    }

    /** Bytes of manifests, deletion vectors, the catalog and decisions. */
    public long otherBytes() {
        return otherBytes.sum();
    }

    private void count(String path, long bytes) {
        boolean data = path.startsWith("data/") && !path.contains(".dv-");
        (data ? dataBytes : otherBytes).add(bytes);
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        count(path, content.length);
        return super.createIfAbsent(path, content);
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        count(path, content.length);
        super.put(path, content);
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        return new CountingWriter(path, super.create(path));
    }

    private final class CountingWriter extends ForwardingObjectWriter {
        private final String path;

        private CountingWriter(String path, ObjectWriter writer) {
            super(writer);
            this.path = path;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            count(path, length);
            super.write(bytes, offset, length);
        }
    }
}
