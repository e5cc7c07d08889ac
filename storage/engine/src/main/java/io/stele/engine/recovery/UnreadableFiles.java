package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A detector, for a running engine, of data files that the store fails to return while it returns
 * other objects. Waiting does not repair a bad sector or a refused permission, but it does repair
 * an outage. So after a failed read another object is read. A file is unreadable when that went
 * well {@value #MIN_ATTEMPTS} times in a row, over at least {@value #MIN_MILLIS} ms, and the file
 * was never returned. One failure of the other object is an outage, and all counts begin again. It
 * is also an outage if more than {@value #MAX_FILES} files fail at a time, as when one of several
 * servers is away.
 *
 * <p>Thread-safe. Reads of the other object are at least {@value #PROBE_PAUSE_MILLIS} ms apart, so
 * that an outage is not made worse.
 */
final class UnreadableFiles {
    static final int MIN_ATTEMPTS = 10;
    static final long MIN_MILLIS = 120_000;
    static final int MAX_FILES = StartStore.MAX_DAMAGED;
    static final long PROBE_PAUSE_MILLIS = 1_000;

    private static final long FORGOTTEN_MILLIS = 5 * MIN_MILLIS; // without a read

    private final LongSupplier nowMillis;

    @GuardedBy("this")
    private final Map<Piece, Failures> failures = new HashMap<>();

    @GuardedBy("this")
    private long lastProbeMillis;

    private volatile boolean hasFailures;

    UnreadableFiles(LongSupplier nowMillis) {
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
    }

    /**
     * Notes that a piece was returned. Other pieces of the same file may still be unreadable.
     *
     * @param offset in bytes, or {@link InterceptedReads#WHOLE}
     */
    void succeeded(String path, long offset) {
        if (hasFailures) {
            synchronized (this) {
                failures.remove(new Piece(path, offset));
                hasFailures = !failures.isEmpty();
            }
        }
    }

    /**
     * Notes that a piece was not returned.
     *
     * @param other reads another object; throws when the store does not return that object either
     * @return the number of attempts and their time, if the piece is unreadable
     */
    Optional<String> failed(String path, long offset, Probe other) {
        Piece piece = new Piece(path, offset);
        if (begin(piece)) {
            boolean answers;
            try {
                other.read();
                answers = true;
            } catch (IOException outage) {
                answers = false;
            }
            ended(piece, answers);
        }
        return unreadable(piece);
    }

    /** Whether another object is to be read now. */
    private synchronized boolean begin(Piece piece) {
        long now = nowMillis.getAsLong();
        failures.values().removeIf(each -> now - each.lastMillis > FORGOTTEN_MILLIS);
        failures.computeIfAbsent(piece, each -> new Failures(now)).lastMillis = now;
        hasFailures = true;
        if (now - lastProbeMillis < PROBE_PAUSE_MILLIS) {
            return false;
        }
        lastProbeMillis = now;
        return true;
    }

    /**
     * @param answers whether the store returned the other object
     */
    private synchronized void ended(Piece piece, boolean answers) {
        long files = failures.keySet().stream().map(Piece::path).distinct().count();
        if (!answers || files > MAX_FILES) {
            long now = nowMillis.getAsLong();
            failures.values().forEach(each -> each.restart(now));
        } else if (failures.containsKey(piece)) { // not returned to another reader meanwhile
            failures.get(piece).attempts++;
        }
    }

    private synchronized Optional<String> unreadable(Piece piece) {
        Failures found = failures.get(piece);
        if (found == null) {
            return Optional.empty();
        }
        long millis = found.lastMillis - found.sinceMillis;
        return found.attempts < MIN_ATTEMPTS || millis < MIN_MILLIS
                ? Optional.empty()
                : Optional.of("%d attempts in %d s".formatted(found.attempts, millis / 1_000));
    }

    /** The part of a file that one read requests. */
    private record Piece(String path, long offset) {}

    /** The read of an object that was returned before. */
    @FunctionalInterface
    interface Probe {
        void read() throws IOException;
    }

    private static final class Failures {
        private long sinceMillis;
        private long lastMillis;
        private int attempts; // with an answer of the store to the probe

        private Failures(long sinceMillis) {
            this.sinceMillis = sinceMillis;
            this.lastMillis = sinceMillis;
        }

        private void restart(long now) {
            sinceMillis = now;
            attempts = 0;
        }
    }
}
