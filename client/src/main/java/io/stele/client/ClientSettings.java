package io.stele.client;

import io.stele.protocol.wire.WireLimits;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The timeouts and limits of a {@link SteleClient} and its writers and lookups.
 *
 * @param connectTimeout timeout of a new connection, including its greeting
 * @param answerTimeout the time after which a sidecar with an unanswered request that sends nothing
 *     is considered dead: the connection is opened again, and its requests are sent again
 * @param unavailableTimeout the time for which a sidecar may be unavailable before the requests
 *     that wait for it fail
 * @param busyTimeout the time for which batches that a sidecar refuses as BUSY are sent again
 *     before they fail, counted from the last batch that it accepted
 * @param linger the time for which a row waits for further rows while earlier batches of its shard
 *     are unanswered; without unanswered batches it does not wait
 * @param maxBatchBytes the size in bytes at which a batch is full
 * @param maxBatchRows the number of rows at which a batch is full
 * @param maxInFlightBytes the bytes of unanswered batches at which writers wait
 * @param maxRequests the most unanswered requests of a connection, and the most waiting lookups
 */
public record ClientSettings(
        Duration connectTimeout,
        Duration answerTimeout,
        Duration unavailableTimeout,
        Duration busyTimeout,
        Duration linger,
        int maxBatchBytes,
        int maxBatchRows,
        long maxInFlightBytes,
        int maxRequests) {
    /**
     * The defaults. 5 minutes busy: a sidecar holds a batch for one minute before it replies BUSY.
     * 256 KiB a batch: the sidecar checks one batch while the client encodes the next, and its
     * array is no humongous object for the garbage collector of a small heap. 64 MiB in flight: a
     * second of a fast disk. 1 ms of linger: the time of a group commit.
     */
    public static final ClientSettings DEFAULT =
            new ClientSettings(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(60),
                    Duration.ofMinutes(5),
                    Duration.ofMillis(1),
                    256 << 10,
                    8192,
                    64L << 20,
                    1024);

    public ClientSettings {
        checkPositive("connectTimeout", connectTimeout);
        checkPositive("answerTimeout", answerTimeout);
        checkPositive("unavailableTimeout", unavailableTimeout);
        checkPositive("busyTimeout", busyTimeout);
        if (linger.isNegative()) {
            throw new IllegalArgumentException("Expected linger >= 0, found " + linger);
        }
        checkRepeats(unavailableTimeout.plus(busyTimeout));
        checkRange("maxBatchBytes", maxBatchBytes, 1, WireLimits.MAX_BATCH_BYTES);
        checkRange("maxBatchRows", maxBatchRows, 1, WireLimits.MAX_OPERATIONS);
        checkRange("maxInFlightBytes", maxInFlightBytes, 1, Long.MAX_VALUE);
        checkRange("maxRequests", maxRequests, 1, 1 << 20);
    }

    public ClientSettings withConnectTimeout(Duration value) {
        return with(draft -> draft.connectTimeout = value);
    }

    public ClientSettings withAnswerTimeout(Duration value) {
        return with(draft -> draft.answerTimeout = value);
    }

    public ClientSettings withUnavailableTimeout(Duration value) {
        return with(draft -> draft.unavailableTimeout = value);
    }

    public ClientSettings withBusyTimeout(Duration value) {
        return with(draft -> draft.busyTimeout = value);
    }

    public ClientSettings withLinger(Duration value) {
        return with(draft -> draft.linger = value);
    }

    public ClientSettings withMaxBatchBytes(int value) {
        return with(draft -> draft.maxBatchBytes = value);
    }

    public ClientSettings withMaxBatchRows(int value) {
        return with(draft -> draft.maxBatchRows = value);
    }

    public ClientSettings withMaxInFlightBytes(long value) {
        return with(draft -> draft.maxInFlightBytes = value);
    }

    public ClientSettings withMaxRequests(int value) {
        return with(draft -> draft.maxRequests = value);
    }

    private ClientSettings with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.build();
    }

    private static void checkPositive(String what, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException("Expected " + what + " > 0, found " + value);
        }
    }

    /**
     * Checks a timeout of repetitions: after a longer time, a shard would take a repeated batch for
     * a new one.
     */
    private static void checkRepeats(Duration longest) {
        Duration most = WireLimits.WRITER_MEMORY.dividedBy(6);
        if (longest.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    "Expected unavailableTimeout + busyTimeout of at most "
                            + most
                            + ", which shards remember writers for, found "
                            + longest);
        }
    }

    private static void checkRange(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    "Expected " + what + " from " + min + " to " + max + ", found " + value);
        }
    }

    /** A mutable copy of the components, so that only one place copies all of them. */
    private static final class Draft {
        private Duration connectTimeout;
        private Duration answerTimeout;
        private Duration unavailableTimeout;
        private Duration busyTimeout;
        private Duration linger;
        private int maxBatchBytes;
        private int maxBatchRows;
        private long maxInFlightBytes;
        private int maxRequests;

        Draft(ClientSettings from) {
            connectTimeout = from.connectTimeout;
            answerTimeout = from.answerTimeout;
            unavailableTimeout = from.unavailableTimeout;
            busyTimeout = from.busyTimeout;
            linger = from.linger;
            maxBatchBytes = from.maxBatchBytes;
            maxBatchRows = from.maxBatchRows;
            maxInFlightBytes = from.maxInFlightBytes;
            maxRequests = from.maxRequests;
        }

        ClientSettings build() {
            return new ClientSettings(
                    connectTimeout,
                    answerTimeout,
                    unavailableTimeout,
                    busyTimeout,
                    linger,
                    maxBatchBytes,
                    maxBatchRows,
                    maxInFlightBytes,
                    maxRequests);
        }
    }
}
