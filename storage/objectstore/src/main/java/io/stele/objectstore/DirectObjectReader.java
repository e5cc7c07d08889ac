package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;

/**
 * A reader of an object without a cache: every read is a request to its store, and may block.
 * Thread-safe.
 */
final class DirectObjectReader implements ObjectReader {
    private final ObjectStore store;
    private final String path;
    private final LongAdder requests = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    DirectObjectReader(ObjectStore store, String path) {
        this.store = requireNonNull(store, "store is null");
        this.path = requireNonNull(path, "path is null");
    }

    @Override
    public void read(long offset, byte[] buffer, int bufferOffset, int length) throws IOException {
        requests.increment();
        bytes.add(length);
        store.read(path, offset, buffer, bufferOffset, length);
    }

    @Override
    public ReadTally tally() {
        return new ReadTally(bytes.sum(), requests.sum(), bytes.sum(), requests.sum());
    }
}
