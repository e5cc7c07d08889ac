package io.stele.benchmarks.manifest;

import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.util.List;

/** A store that counts requests that read, and the bytes they bring. Confined to one thread. */
final class ReadCountingStore extends ForwardingObjectStore {
    private long requests;
    private long bytes;

    ReadCountingStore(ObjectStore store) {
        super(store);
    }

    long requests() {
        return requests;
    }

    long bytes() {
        return bytes;
    }

    void reset() {
        requests = 0;
        bytes = 0;
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        requests++;
        bytes += length;
        super.read(path, offset, buffer, bufferOffset, length);
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        byte[] content = super.readFully(path);
        requests++;
        bytes += content.length;
        return content;
    }

    @Override
    public long size(String path) throws IOException {
        requests++;
        return super.size(path);
    }

    @Override
    public List<ObjectEntry> list(String prefix) throws IOException {
        requests++;
        return super.list(prefix);
    }
}
