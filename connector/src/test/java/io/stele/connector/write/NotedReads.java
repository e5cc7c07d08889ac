package io.stele.connector.write;

import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Notes what is read: path, offset and length. Thread-safe. */
final class NotedReads extends ForwardingObjectStore {
    private final List<String> reads = new ArrayList<>(); // guarded by itself

    NotedReads(ObjectStore store) {
        super(store);
    }

    /** As a store over a network is read: what is adjacent at once. */
    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        synchronized (reads) {
            reads.add(path + " " + offset + " " + length);
        }
        super.read(path, offset, buffer, bufferOffset, length);
    }

    List<String> take() {
        synchronized (reads) {
            List<String> taken = List.copyOf(reads);
            reads.clear();
            return taken;
        }
    }
}
