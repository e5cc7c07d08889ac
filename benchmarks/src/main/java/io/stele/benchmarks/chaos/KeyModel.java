package io.stele.benchmarks.chaos;

import java.util.Optional;

/**
 * A model of one key of a chaos client: the bounds of the versions that a reader may find. Versions
 * are written one after the other and count upwards; deletions are versions too. Thread-safe:
 * guarded by itself.
 *
 * <p>Invariant: acknowledged <= sent.
 */
final class KeyModel {
    /** Every seventh version of a key deletes its row. */
    private static final int DELETE_EVERY = 7;

    private long sent;
    private long acknowledged;

    // A write without an answer may come when later ones have been answered, until a restart or two
    private long leftOpen = Long.MAX_VALUE;
    private long leftOpenUntil;

    /** The versions that may be found between two moments. */
    record Bounds(long first, long last) {
        /** The violation by a found version, or by a missing one, if any. */
        Optional<String> check(Optional<Long> found) {
            boolean isPossible =
                    found.map(version -> version >= first && version <= last && !isDelete(version))
                            .orElseGet(this::mayBeAbsent);
            return isPossible
                    ? Optional.empty()
                    : Optional.of(
                            "expected a version from %d to %d, found %s"
                                    .formatted(
                                            first,
                                            last,
                                            found.map(version -> "version " + version)
                                                    .orElse("none")));
        }

        private boolean mayBeAbsent() {
            // Of which each seventh deletes, and the one before the first is none
            return first == 0 || last / DELETE_EVERY > (first - 1) / DELETE_EVERY;
        }
    }

    static boolean isDelete(long version) {
        return version % DELETE_EVERY == 0;
    }

    /** The next version, which is about to be sent. */
    synchronized long next() {
        return ++sent;
    }

    synchronized void acknowledged(long version) {
        acknowledged = Math.max(acknowledged, version);
    }

    /**
     * A write failed, and it is unknown whether it is still in flight.
     *
     * @param starts how often the sidecar has been started so far
     */
    synchronized void failed(long version, long starts) {
        leftOpen = Math.min(present(starts), version);
        leftOpenUntil = starts + 2;
    }

    private long present(long starts) {
        return starts < leftOpenUntil ? leftOpen : Long.MAX_VALUE;
    }

    /** Whether there certainly is a row, with nothing on its way. */
    synchronized boolean isPresent() {
        return acknowledged == sent
                && leftOpen == Long.MAX_VALUE
                && acknowledged > 0
                && !isDelete(acknowledged);
    }

    /** The oldest version that a reader may find if it starts now. */
    synchronized long oldest(long starts) {
        return Math.min(acknowledged, present(starts));
    }

    /** The bounds of a reader that started when this was the {@link #oldest}, and has ended now. */
    synchronized Bounds since(long oldestBefore) {
        return new Bounds(oldestBefore, sent);
    }
}
