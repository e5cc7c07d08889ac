package io.stele.objectstore;

import java.io.IOException;

/**
 * A thread-local mode in which the present thread must not wait for the object store. A thread that
 * runs execution contexts sets it while it reads for one. If the read then needs data that is not
 * in memory, it ends with {@link WouldBlockException}, and continues where waiting is allowed.
 *
 * <p>The exception loses nothing: cursors stay at their position, and lookups start again.
 */
public final class NonBlocking {
    private static final ThreadLocal<Boolean> ACTIVE = new ThreadLocal<>();

    private NonBlocking() {}

    /** A read. */
    @FunctionalInterface
    public interface Read<T> {
        T read() throws IOException;
    }

    /**
     * Reads without waiting for the store.
     *
     * @throws WouldBlockException if something that is not in memory is needed
     */
    public static <T> T read(Read<T> read) throws IOException {
        if (isActive()) {
            return read.read();
        }
        ACTIVE.set(Boolean.TRUE);
        try {
            return read.read();
        } finally {
            ACTIVE.remove();
        }
    }

    /** Whether the present thread must not wait. */
    public static boolean isActive() {
        return ACTIVE.get() != null;
    }

    /**
     * Called before every wait for the store.
     *
     * @throws WouldBlockException if this thread must not wait
     */
    public static void check() {
        if (isActive()) {
            throw new WouldBlockException();
        }
    }
}
