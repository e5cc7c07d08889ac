package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import io.stele.protocol.SteleException;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * A registry of objects that Flight SQL clients have opened and call by a handle, limited in number
 * and size. Each object belongs to one user, and is closed when it was not used for a time. Handles
 * are random, so that nobody guesses one.
 *
 * <p>Invariant: what is held here is closed exactly once, by {@link #remove}'s caller or by {@link
 * #expire} or {@link #close}. Thread-safe.
 */
final class Handles<T extends Handles.Held> {
    private static final int HANDLE_BYTES = 16;
    private static final long RETRY_MILLIS = 1_000;

    private final String what;
    private final int maxCount;
    private final long maxBytes;
    private final Duration idle;
    private final SecureRandom random;
    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private final Map<ByteString, Entry<T>> entries = new HashMap<>();

    @GuardedBy("this")
    private long heldBytes;

    /** An object that a handle identifies. */
    interface Held extends AutoCloseable {
        /** Whether a request works with it, so that it does not expire. */
        boolean isInUse();

        @Override
        void close();
    }

    private static final class Entry<T> {
        private final String owner;
        private final T value;
        private long sizeBytes;
        private long usedNanos;

        private Entry(String owner, T value, long sizeBytes, long usedNanos) {
            this.owner = owner;
            this.value = value;
            this.sizeBytes = sizeBytes;
            this.usedNanos = usedNanos;
        }
    }

    /**
     * @param what the name of one object, with its article, for messages
     * @param maxCount at the same time
     * @param maxBytes of all
     * @param idle time after the last use
     */
    Handles(
            String what,
            int maxCount,
            long maxBytes,
            Duration idle,
            SecureRandom random,
            LongSupplier nanoTime) {
        this.what = requireNonNull(what, "what is null");
        this.maxCount = maxCount;
        this.maxBytes = maxBytes;
        this.idle = requireNonNull(idle, "idle is null");
        this.random = requireNonNull(random, "random is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    /**
     * Adds an object, and returns its handle.
     *
     * @throws SteleException BUSY if there are too many
     */
    synchronized ByteString add(String owner, T value, long sizeBytes) {
        if (entries.size() >= maxCount || heldBytes + sizeBytes > maxBytes) {
            throw full(sizeBytes);
        }
        byte[] bytes = new byte[HANDLE_BYTES];
        random.nextBytes(bytes);
        ByteString handle = ByteString.copyFrom(bytes);
        entries.put(handle, new Entry<>(owner, value, sizeBytes, nanoTime.getAsLong()));
        heldBytes += sizeBytes;
        return handle;
    }

    private SteleException full(long sizeBytes) {
        return SteleException.busy(
                "Expected room for %s of %s bytes among at most %s of %s bytes, found none; close those that are not needed, or try again later"
                        .formatted(what, sizeBytes, maxCount, maxBytes),
                RETRY_MILLIS);
    }

    /**
     * Changes the size of a handle's object.
     *
     * @throws SteleException BUSY if there is no room for it; nothing is changed then
     */
    synchronized void resize(ByteString handle, String user, long sizeBytes) {
        Entry<T> entry = entry(handle, user);
        if (heldBytes - entry.sizeBytes + sizeBytes > maxBytes) {
            throw full(sizeBytes);
        }
        heldBytes += sizeBytes - entry.sizeBytes;
        entry.sizeBytes = sizeBytes;
    }

    /**
     * The object of a handle; the call counts as a use.
     *
     * @throws PostgresException INVALID_STATEMENT_NAME if there is none, or it belongs to another
     *     user
     */
    synchronized T find(ByteString handle, String user) {
        Entry<T> entry = entry(handle, user);
        entry.usedNanos = nanoTime.getAsLong();
        return entry.value;
    }

    private synchronized Entry<T> entry(ByteString handle, String user) {
        Entry<T> entry = entries.get(handle);
        if (entry == null || !entry.owner.equals(user)) {
            throw new PostgresException(
                    SqlState.INVALID_STATEMENT_NAME,
                    "Expected the handle of %s of user '%s', found one that is not known: it was closed, or not used for %s minutes"
                            .formatted(what, user, idle.toMinutes()));
        }
        return entry;
    }

    /** As {@link #find}, for the last time: the caller closes it. */
    synchronized T remove(ByteString handle, String user) {
        Entry<T> entry = entry(handle, user);
        entries.remove(handle);
        heldBytes -= entry.sizeBytes;
        return entry.value;
    }

    /** As {@link #remove}, for one that may be gone. */
    synchronized boolean forget(ByteString handle) {
        Entry<T> entry = entries.remove(handle);
        if (entry == null) {
            return false;
        }
        heldBytes -= entry.sizeBytes;
        return true;
    }

    /** The number of objects. */
    synchronized int count() {
        return entries.size();
    }

    /** Closes the objects that were not used for long. */
    void expire() {
        long before = nanoTime.getAsLong() - idle.toNanos();
        closeAll(
                take(
                        entry -> {
                            if (entry.value.isInUse()) {
                                entry.usedNanos = nanoTime.getAsLong();
                            }
                            return entry.usedNanos - before < 0;
                        }));
    }

    /** Closes all. */
    void close() {
        closeAll(take(entry -> true));
    }

    private synchronized List<T> take(Predicate<Entry<T>> which) {
        List<T> taken = new ArrayList<>();
        Iterator<Entry<T>> present = entries.values().iterator();
        while (present.hasNext()) {
            Entry<T> entry = present.next();
            if (which.test(entry)) {
                present.remove();
                taken.add(entry.value);
                heldBytes -= entry.sizeBytes;
            }
        }
        return taken;
    }

    private void closeAll(List<T> values) {
        for (T value : values) {
            value.close();
        }
    }
}
