package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A bounded in-memory log of the last change of each key of a versioned object, which returns the
 * keys changed since a version.
 *
 * <p>Invariant: every key that changed at a version above the floor is in the log, under the
 * version of its last change. Thread-safe: guarded by itself.
 */
public final class ChangeLog<K> {
    private final int limit;
    // Ordered by version: a key that changes again moves to the end
    private final LinkedHashMap<K, Long> changes = new LinkedHashMap<>();
    private long floor;
    private long version;

    /**
     * @param version the present version; the changes before it are unknown
     * @param limit the number of changes to store; beyond it, the oldest are dropped
     */
    public ChangeLog(long version, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("Expected a limit >= 1, found " + limit);
        }
        this.floor = version;
        this.version = version;
        this.limit = limit;
    }

    /** The present version. */
    public synchronized long version() {
        return version;
    }

    /** Adds the next version, which changes {@code keys}. */
    public synchronized void advance(long nextVersion, Collection<K> keys) {
        requireNonNull(keys, "keys is null");
        if (nextVersion <= version) {
            throw new IllegalArgumentException(
                    "Expected a version above %d, found %d".formatted(version, nextVersion));
        }
        version = nextVersion;
        for (K key : keys) {
            changes.remove(key);
            changes.put(key, nextVersion);
        }
        while (changes.size() > limit) {
            Map.Entry<K, Long> oldest = changes.pollFirstEntry();
            floor = oldest.getValue();
        }
    }

    /** Continues from a version with unknown changes. */
    public synchronized void restart(long nextVersion) {
        changes.clear();
        version = nextVersion;
        floor = nextVersion;
    }

    /**
     * The keys that changed after a version, latest first.
     *
     * @return empty if they are unknown: the version is too old, or from another log
     */
    public synchronized Optional<List<K>> since(long known) {
        if (known < floor || known > version) {
            return Optional.empty();
        }
        List<K> found = new ArrayList<>();
        for (Map.Entry<K, Long> change : changes.reversed().entrySet()) {
            if (change.getValue() <= known) {
                break;
            }
            found.add(change.getKey());
        }
        return Optional.of(found);
    }
}
