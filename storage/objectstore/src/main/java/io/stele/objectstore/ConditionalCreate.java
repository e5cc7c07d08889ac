package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;

/**
 * Creation of an object by one winner among many, also when single calls end in an unknown outcome:
 * it reads the object and compares. The content must differ from that of every other contender (put
 * a writer's UUID in), and the path must never be deleted while contenders live: both are what
 * makes the answer certain.
 */
public final class ConditionalCreate {
    private ConditionalCreate() {}

    /** The outcomes of a creation. */
    public enum Outcome {
        /** The object has our content. */
        CREATED,
        /** The object has another content. */
        EXISTS
    }

    /**
     * Creates {@code path}, trying up to {@code attempts} times while the outcome is unknown.
     *
     * @throws IOException if the outcome is still unknown after the last attempt; the object may
     *     yet appear
     */
    public static Outcome create(ObjectStore store, String path, byte[] content, int attempts)
            throws IOException {
        requireNonNull(store, "store is null");
        if (attempts < 1) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "Expected at least 1 attempt, found %d", attempts));
        }
        IOException unknown = null;
        for (int attempt = 0; attempt < attempts; attempt++) {
            try {
                if (store.createIfAbsent(path, content)) {
                    return Outcome.CREATED;
                }
                // Another's object, or ours from an attempt that seemed to fail. The store reported
                // that it exists, and this is more than a read: so it is durable.
                return compare(store.readFully(path), content);
            } catch (IOException e) {
                if (unknown != null) {
                    e.addSuppressed(unknown);
                }
                unknown = e;
            }
        }
        throw requireNonNull(unknown);
    }

    private static Outcome compare(byte[] found, byte[] ours) {
        return Arrays.equals(found, ours) ? Outcome.CREATED : Outcome.EXISTS;
    }
}
