package io.stele.sidecar.postgresql;

import io.stele.sidecar.postgresql.run.Cancellation;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The registry of keys by which PostgreSQL clients cancel statements over other connections without
 * a login; each key contains a secret. Thread-safe.
 */
final class CancelKeys {
    private final SecureRandom random;
    private final AtomicInteger nextId = new AtomicInteger();
    private final Map<Key, Cancellation> running = new ConcurrentHashMap<>();

    CancelKeys(SecureRandom random) {
        this.random = random;
    }

    /**
     * A key of a connection.
     *
     * @param processId what PostgreSQL calls the process of the connection
     */
    record Key(int processId, int secret) {}

    Key register(Cancellation cancellation) {
        Key key = new Key(nextId.incrementAndGet(), random.nextInt());
        running.put(key, cancellation);
        return key;
    }

    void remove(Key key) {
        running.remove(key);
    }

    /** Cancels the statement that runs under the key; an unknown one has no effect. */
    void cancel(Key key) {
        Cancellation cancellation = running.get(key);
        if (cancellation != null) {
            cancellation.request();
        }
    }
}
