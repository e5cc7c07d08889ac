package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a statement that changes the catalog, under an id by which the sidecar recognizes
 * it: how long it is sent again, and what its user is told without an answer. Confined to one
 * thread.
 */
final class StatementAttempts {
    /** How long it is sent again after an answer was lost; a sidecar is back sooner, as a rule. */
    static final Duration DOUBT_PATIENCE = Duration.ofMinutes(5);

    /** The same while the sidecar, which tries for some seconds itself, cannot store it. */
    static final Duration STORE_PATIENCE = Duration.ofMinutes(1);

    private final Optional<UUID> id = Optional.of(UUID.randomUUID());
    private final LongSupplier nanos;
    private final long beginNanos;
    private final Duration busyPatience;
    private final Duration outagePatience;
    private OptionalLong doubtNanos = OptionalLong.empty(); // since when an attempt has no answer
    private long storeFailedNanos; // since when the store fails
    private @Nullable SteleException storeFailed; // null: it did not fail last

    /**
     * @param nanos the time
     * @param busyPatience with a sidecar that is full
     * @param outagePatience with one that is away, before anything was sent
     */
    StatementAttempts(LongSupplier nanos, Duration busyPatience, Duration outagePatience) {
        this.nanos = requireNonNull(nanos, "nanos is null");
        this.beginNanos = nanos.getAsLong();
        this.busyPatience = requireNonNull(busyPatience, "busyPatience is null");
        this.outagePatience = requireNonNull(outagePatience, "outagePatience is null");
    }

    Optional<UUID> id() {
        return id;
    }

    /** Takes the failure of an attempt that was sent; returns it as one to be repeated, or not. */
    SteleException failed(SteleException failure) {
        long now = nanos.getAsLong();
        if (failure.code() == ErrorCode.BUSY || failure.code().nothingIsChanged()) {
            return failure; // of this attempt: it tells nothing of those before
        }
        if (doubtNanos.isEmpty() && !isUnsent(failure)) {
            doubtNanos = OptionalLong.of(now);
        }
        if (failure.code() != ErrorCode.STORE_FAILED) {
            storeFailed = null;
            return failure;
        }
        storeFailedNanos = storeFailed == null ? now : storeFailedNanos;
        storeFailed = failure;
        return new SteleException(
                ErrorCode.UNAVAILABLE, String.valueOf(failure.getMessage()), failure);
    }

    private static boolean isUnsent(SteleException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException) {
                return true;
            }
        }
        return false;
    }

    /** How long after the first attempt began another one may begin. */
    Duration patience(SteleException failure) {
        if (storeFailed != null) {
            return STORE_PATIENCE.plusNanos(storeFailedNanos - beginNanos);
        }
        if (doubtNanos.isPresent()) {
            return DOUBT_PATIENCE.plusNanos(doubtNanos.getAsLong() - beginNanos);
        }
        return failure.code() == ErrorCode.BUSY ? busyPatience : outagePatience;
    }

    /**
     * What the user is told at the end.
     *
     * @param last the failure of the last attempt
     */
    SteleException outcome(String action, SteleException last) {
        SteleException store = storeFailed;
        if (store != null && !last.code().nothingIsChanged()) {
            return store;
        }
        // A sidecar that refuses looks for the id first. But a table that is gone may be gone since
        boolean isKnown =
                doubtNanos.isEmpty()
                        || last.code().nothingIsChanged() && last.code() != ErrorCode.STALE_TABLE;
        return isKnown
                ? last
                : new SteleException(
                        last.code() == ErrorCode.STALE_TABLE ? ErrorCode.UNAVAILABLE : last.code(),
                        "%s. It is not known whether %s was done"
                                .formatted(last.getMessage(), action),
                        last);
    }
}
