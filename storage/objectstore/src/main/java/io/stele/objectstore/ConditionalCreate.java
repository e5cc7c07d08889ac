package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;

/**
 * A creation of an object that exactly one of many contenders wins, also after calls with an
 * unknown outcome. It then reads the object and compares contents. The content must differ from
 * that of every other contender (put a writer's UUID in), and the path must never be deleted while
 * contenders live: the result is certain only under both conditions.
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
                // The object of another contender, or ours from an attempt that seemed to fail. It
                // is durable, because the store reported that it exists; a read alone would not
                // prove that.
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
