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
 * The retry policy of one statement that changes the catalog, whose attempts have an id by which
 * the sidecar recognizes them. It decides how long the statement is repeated, and with which error
 * it fails without a reply. Confined to one thread.
 */
final class StatementAttempts {
    /** How long it is repeated after a reply was lost; a sidecar is back sooner, as a rule. */
    static final Duration DOUBT_PATIENCE = Duration.ofMinutes(5);

    /**
     * How long it is repeated while the sidecar, which itself tries for some seconds, cannot store
     * it.
     */
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
     * @param nanos the clock, in nanoseconds
     * @param busyPatience how long to repeat while the sidecar is full
     * @param outagePatience how long to repeat while it is unavailable, before anything was sent
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

    /**
     * Records the failure of an attempt that was sent; returns the failure whose code decides
     * whether to repeat it.
     */
    SteleException failed(SteleException failure) {
        long now = nanos.getAsLong();
        if (failure.code() == ErrorCode.BUSY || failure.code().nothingIsChanged()) {
            return failure; // of this attempt, not of earlier ones
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
     * The failure that the user receives in the end.
     *
     * @param last the failure of the last attempt
     */
    SteleException outcome(String action, SteleException last) {
        SteleException store = storeFailed;
        if (store != null && !last.code().nothingIsChanged()) {
            return store;
        }
        // A sidecar that refuses looks for the id first. But a table may have become stale since
        // the first attempt
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
