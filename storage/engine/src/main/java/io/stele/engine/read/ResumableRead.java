package io.stele.engine.read;

import java.io.IOException;

/**
 * A read in parts, so that a task on a shared thread can yield between them. Under {@link
 * io.stele.objectstore.NonBlocking}, a part that would have to wait throws, and nothing is lost:
 * the same part continues where it may wait. Confined to one thread at a time.
 *
 * @param <T> the result
 */
public interface ResumableRead<T> {
    /** Does about as much as a step on a shared thread may take; true when all is done. */
    boolean step() throws IOException;

    /** Does as much as is useful at once where waiting is allowed; true when all is done. */
    boolean advance() throws IOException;

    /** The result; call it after {@link #step} or {@link #advance} returned true. */
    T result();
}
