package io.stele.engine.wal;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a write to a log or manifest, because an engine that was opened later owns the log
 * or shard now.
 */
public final class LostOwnershipException extends IOException {
    private static final long serialVersionUID = 1L;

    public LostOwnershipException(String message) {
        super(message);
    }

    LostOwnershipException(String message, IOException cause) {
        super(message, cause);
    }

    /** Whether a failure is, or was caused by, lost ownership. */
    public static boolean isCauseOf(@Nullable Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof LostOwnershipException) {
                return true;
            }
        }
        return false;
    }
}
