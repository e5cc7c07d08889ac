package io.stele.engine.wal;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Another engine was opened later on the same log or shards, and owns them now. */
public final class LostOwnershipException extends IOException {
    private static final long serialVersionUID = 1L;

    public LostOwnershipException(String message) {
        super(message);
    }

    LostOwnershipException(String message, IOException cause) {
        super(message, cause);
    }

    /** Whether a failure comes of one of these. */
    public static boolean isCauseOf(@Nullable Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof LostOwnershipException) {
                return true;
            }
        }
        return false;
    }
}
