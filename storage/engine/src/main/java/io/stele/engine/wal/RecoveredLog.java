package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A log that a start has read to its end and cut behind its last whole group; {@link NodeLog}
 * continues it in a new segment.
 *
 * <p>Confined to one thread.
 */
public final class RecoveredLog {
    private final LogFiles files;
    private final LogOptions options;
    private final HybridClock clock;
    private final LogMark expected;
    private final SegmentLedger ledger = new SegmentLedger();
    private long nextSequence = 1;
    private long lowestSegment = 1;
    private Optional<String> cutTail = Optional.empty();
    private boolean hasRecords;
    private boolean isOld = true; // no segment with an id was read
    private @Nullable SegmentedWriter begun; // once the log was begun here
    private boolean continued;

    private RecoveredLog(LogFiles files, LogOptions options, HybridClock clock, LogMark expected) {
        this.files = requireNonNull(files, "files is null");
        this.options = requireNonNull(options, "options is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.expected = requireNonNull(expected, "expected is null");
    }

    /**
     * Reads all segments, checks them, passes their records to {@code consumer} in log order, and
     * cuts a torn end. {@code clock} observes every LSN.
     *
     * @throws SteleException {@code CORRUPT_DATA} if anything but a torn end is wrong, naming file,
     *     offset and both values; no file has been changed then, but records before the damage have
     *     been passed to {@code consumer}
     */
    public static RecoveredLog recover(
            LogFiles files, LogOptions options, HybridClock clock, ReplayConsumer consumer)
            throws IOException {
        return recover(files, options, clock, LogMark.NONE, consumer);
    }

    /**
     * Reads, checks and cuts the log that a warehouse names, as the method without {@code expected}
     * does.
     *
     * @param expected the id of all segments but those written before logs had ids, and a group
     *     that the log must reach
     * @throws SteleException CORRUPT_DATA also when it is another log, or its end is missing; no
     *     file has been changed then
     */
    public static RecoveredLog recover(
            LogFiles files,
            LogOptions options,
            HybridClock clock,
            LogMark expected,
            ReplayConsumer consumer)
            throws IOException {
        RecoveredLog log = new RecoveredLog(files, options, clock, expected);
        log.read(requireNonNull(consumer, "consumer is null"));
        return log;
    }

    private void read(ReplayConsumer consumer) throws IOException {
        List<Long> segments = files.segments();
        if (segments.isEmpty()) {
            checkEnd();
            return;
        }
        long first = segments.getFirst();
        long last = segments.getLast();
        Optional<SegmentScanner.End> end = Optional.empty();
        for (int i = 0; i < segments.size(); i++) {
            if (segments.get(i) != first + i) {
                throw missing(first + i, "the next segment is " + segments.get(i));
            }
            end = readSegment(first + i, i == 0, first + i == last, consumer);
        }
        if (first > lowestSegment) {
            throw missing(lowestSegment, "the first segment is " + first);
        }
        checkEnd();
        seal(last, end);
    }

    private void checkEnd() {
        if (nextSequence - 1 < expected.sequence()) {
            throw LogIdentity.endMissing(
                    expected, nextSequence - 1, files.describe(Math.max(1, ledger.last())));
        }
    }

    private Optional<SegmentScanner.End> readSegment(
            long segment, boolean first, boolean last, ReplayConsumer consumer) throws IOException {
        try (LogFiles.Reader reader = files.open(segment)) {
            ledger.begin(segment);
            ledger.size(segment, reader.sizeBytes());
            return scan(
                    new SegmentScanner(
                            reader,
                            files.describe(segment),
                            segment,
                            last,
                            nextSequence,
                            files.encryption()),
                    segment,
                    first,
                    consumer);
        }
    }

    private void seal(long segment, Optional<SegmentScanner.End> end) throws IOException {
        long sizeBytes = ledger.sizeBytes(segment);
        if (end.isEmpty() || end.get().isEmpty()) {
            // Nothing was ever acknowledged in it, so its number is free for the next segment.
            noteCut(segment, 0, sizeBytes);
            files.delete(segment);
            ledger.remove(segment);
            return;
        }
        noteCut(segment, end.get().position(), sizeBytes);
        files.seal(segment, end.get().position(), end.get().lastGroup());
        ledger.size(segment, end.get().position());
    }

    private Optional<SegmentScanner.End> scan(
            SegmentScanner scanner, long segment, boolean first, ReplayConsumer consumer)
            throws IOException {
        Optional<SegmentHeader> header = scanner.readHeader();
        if (header.isEmpty()) {
            return Optional.empty();
        }
        if (!header.get().log().equals(expected.logId())
                && !(header.get().log().equals(LogId.NONE) && isOld)) {
            throw LogIdentity.otherLog(
                    expected.logId(), header.get().log(), files.describe(header.get().segment()));
        }
        isOld &= header.get().log().equals(LogId.NONE);
        if (first) {
            nextSequence = header.get().firstSequence();
        } else if (header.get().firstSequence() != nextSequence) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    String.format(
                            Locale.ROOT,
                            "Expected first group sequence %d, found %d in %s at offset 24",
                            nextSequence,
                            header.get().firstSequence(),
                            files.describe(segment)),
                    new OtherLogException());
        }
        SegmentScanner.End end =
                scanner.scan(
                        header.get(),
                        ledger,
                        (shard, lsn, type, payload) -> {
                            hasRecords = true;
                            clock.observe(lsn);
                            consumer.accept(shard, lsn, type, payload);
                        });
        nextSequence = end.nextSequence();
        lowestSegment = Math.max(lowestSegment, end.lowestSegment());
        return Optional.of(end);
    }

    private void noteCut(long segment, long position, long sizeBytes) {
        if (position < sizeBytes) {
            cutTail =
                    Optional.of(
                            String.format(
                                    Locale.ROOT,
                                    "Cut %d bytes of a group that was never acknowledged from %s at offset %d",
                                    sizeBytes - position,
                                    files.describe(segment),
                                    position));
        }
    }

    private SteleException missing(long segment, String found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                String.format(
                        Locale.ROOT,
                        "Expected log segment %d, found that it is missing and %s: %s",
                        segment,
                        found,
                        files.describe(segment)),
                new OtherLogException());
    }

    /** The last LSN of each shard that has records in the log. */
    public Map<ShardId, Lsn> lastLsns() {
        return ledger.lastLsns();
    }

    /**
     * The part cut from the end, if any: file, offset and bytes; such bytes were never
     * acknowledged.
     */
    public Optional<String> cutTail() {
        return cutTail;
    }

    /** The mark of the last whole group. */
    public LogMark end() {
        return new LogMark(expected.logId(), nextSequence - 1);
    }

    /** Whether there is any record. */
    public boolean hasRecords() {
        return hasRecords;
    }

    /**
     * Writes a group without records behind the last one, so that a log without records also has
     * its id.
     */
    public LogMark begin() throws IOException {
        SegmentedWriter writer = continueWriting();
        continued = false;
        begun = writer;
        writer.write(List.of());
        return writer.durable();
    }

    /** Returns the writer that continues the log; throws when called a second time. */
    SegmentedWriter continueWriting() {
        if (continued) {
            throw new IllegalStateException(
                    "Expected a recovered log to be continued once, found a second time");
        }
        continued = true;
        if (begun != null) {
            return begun;
        }
        return new SegmentedWriter(
                files,
                options.segmentBytes(),
                ledger,
                expected.logId(),
                ledger.last() + 1,
                nextSequence,
                lowestSegment);
    }

    LogOptions options() {
        return options;
    }

    HybridClock clock() {
        return clock;
    }

    SegmentLedger ledger() {
        return ledger;
    }

    LogFiles files() {
        return files;
    }
}
