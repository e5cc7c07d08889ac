package io.stele.objectstore.encryption;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An LRU cache of the sizes and data keys of objects that never change, so that the key of each
 * object is read only once. Thread-safe.
 */
final class DataKeyCache {
    /** About 400 bytes each. */
    private static final int MAX_OBJECTS = 50_000;

    private final Map<String, Known> objects = new Recent(); // guarded by itself

    /**
     * The cached facts of one object.
     *
     * @param sizeBytes before encryption
     * @param key null: it is plain
     */
    record Known(long sizeBytes, @Nullable DataKey key) {}

    Optional<Known> find(String path, long sizeBytes) {
        synchronized (objects) {
            return Optional.ofNullable(objects.get(path))
                    .filter(known -> known.sizeBytes() == sizeBytes);
        }
    }

    void add(String path, Known known) {
        synchronized (objects) {
            objects.put(path, known);
        }
    }

    void remove(String path) {
        synchronized (objects) {
            objects.remove(path);
        }
    }

    private static final class Recent extends LinkedHashMap<String, Known> {
        private static final long serialVersionUID = 1L;

        Recent() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.@Nullable Entry<String, Known> eldest) {
            return size() > MAX_OBJECTS;
        }
    }
}
