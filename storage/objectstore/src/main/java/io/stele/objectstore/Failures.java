package io.stele.objectstore;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Failures that are caught in one place and thrown in another. */
final class Failures {
    private Failures() {}

    /**
     * Throws it as what it is.
     *
     * @param failure null: there is none
     * @param message of the exception for what no method here declares
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
