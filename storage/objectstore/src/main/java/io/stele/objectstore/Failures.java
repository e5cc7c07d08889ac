package io.stele.objectstore;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A helper that rethrows a failure that was caught elsewhere, such as on another thread, with its
 * own type.
 */
final class Failures {
    private Failures() {}

    /**
     * Throws the failure with its own type; returns if there is none.
     *
     * @param failure null: there is none
     * @param message of the {@link IOException} that wraps a checked exception of another type
     */
    static void throwAny(@Nullable Throwable failure, String message) throws IOException {
        switch (failure) {
            case null -> {}
            case IOException io -> throw io;
            case RuntimeException unchecked -> throw unchecked;
            case Error error -> throw error;
            default -> throw new IOException(message, failure);
        }
    }
}
