package io.stele.connector.write;

import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import java.io.IOException;

/** A store that counts the objects that are written, and fails when a certain one is to be. */
final class FailingStore extends ForwardingObjectStore {
    private final int failing;
    private int created;

    /**
     * @param failing the number of the object, from 1
     */
    FailingStore(ObjectStore store, int failing) {
        super(store);
        this.failing = failing;
    }

    /** Objects so far, with the one that failed. */
    int created() {
        return created;
    }

    private void count() throws IOException {
        if (++created == failing) {
            throw new IOException("object " + failing);
        }
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        count();
        super.put(path, content);
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        count();
        return super.create(path);
    }
}
