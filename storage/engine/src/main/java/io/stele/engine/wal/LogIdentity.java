package io.stele.engine.wal;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A lookup of the identity of the log at a location, before the log is taken over. So the owner of
 * another log is not stopped, and no fence is put into that log. Stateless.
 */
public final class LogIdentity {
    private LogIdentity() {}

    /**
     * The newest segment whose header can be read.
     *
     * @param firstSequence of its first group: the log ends there or later
     */
    public record Newest(LogId logId, long firstSequence) {}

    /** Empty where there are no segments, or none whose header can be read yet. */
    public static Optional<Newest> find(LogFiles files) throws IOException {
        List<Long> segments = files.segments();
        for (long segment : segments.reversed()) {
            try (LogFiles.Reader reader = files.open(segment)) {
                Optional<SegmentHeader> header = SegmentScanner.peek(reader);
                if (header.isPresent()) {
                    return header.map(found -> new Newest(found.log(), found.firstSequence()));
                }
            }
        }
        return Optional.empty();
    }

    /** CORRUPT_DATA for a location with another log; nothing was changed. */
    public static SteleException otherLog(LogId expected, LogId found, String where) {
        return mismatch(
                String.format(
                        Locale.ROOT,
                        "Expected log %s, which has what this warehouse acknowledged last, found %s: %s",
                        expected,
                        found.equals(LogId.NONE) ? "a log without id" : "log " + found,
                        where),
                expected);
    }

    /** CORRUPT_DATA for a location without any log. */
    public static SteleException noLog(LogId expected, String where) {
        return mismatch(
                String.format(
                        Locale.ROOT,
                        "Expected log %s, which has what this warehouse acknowledged last, found no log: %s",
                        expected,
                        where),
                expected);
    }

    /** CORRUPT_DATA for a log that ends before its known mark. */
    public static SteleException endMissing(LogMark expected, long found, String where) {
        return mismatch(
                String.format(
                        Locale.ROOT,
                        "Expected log %s to reach at least group %d, found that it ends with group %d, so that its end is missing or it is an older copy: %s",
                        expected.logId(),
                        expected.sequence(),
                        found,
                        where),
                expected.logId());
    }

    private static SteleException mismatch(String message, LogId expected) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                message
                        + ". Is stele.wal.path right, and its disk mounted? To go on without that log, and lose what only it has, set stele.wal.given-up="
                        + expected
                        + " and an empty stele.wal.path",
                new OtherLogException());
    }
}
