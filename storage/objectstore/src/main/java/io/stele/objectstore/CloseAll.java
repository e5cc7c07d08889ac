package io.stele.objectstore;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A helper that closes several resources in order, each of them even after another one failed to
 * close.
 */
public final class CloseAll {
    private CloseAll() {}

    /** See {@link #of(List)}. */
    public static void of(Closeable... all) throws IOException {
        of(List.of(all));
    }

    /**
     * Closes all resources, in this order.
     *
     * @throws IOException the first failure, with the others suppressed; so are unchecked
     *     exceptions and errors
     */
    public static void of(List<? extends Closeable> all) throws IOException {
        Throwable failure = null;
        for (Closeable one : all) {
            failure = close(one, failure);
        }
        Failures.throwAny(failure, "Cannot close");
    }

    private static @Nullable Throwable close(Closeable one, @Nullable Throwable before) {
        try {
            one.close();
            return before;
        } catch (IOException | RuntimeException | Error failed) {
            if (before == null) {
                return failed;
            }
            if (before != failed) {
                before.addSuppressed(failed);
            }
            return before;
        }
    }
}
