package io.stele.engine.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A writer of groups to the end of the log, one segment after the other. A segment is created with
 * its first group.
 *
 * <p>Invariant: when {@link #write} begins, every earlier group is durable. After an exception
 * {@code write} is never called again.
 *
 * <p>Confined to the thread that commits.
 */
final class SegmentedWriter {
    private final LogFiles files;
    private final long segmentBytes;
    private final SegmentLedger ledger;
    private final LogId logId;
    private long segment;
    private long sequence;
    private long lowestSegment;
    private LogFiles.@Nullable Writer writer;
    private @Nullable SegmentCipher cipher; // of the present segment, if it is encrypted
    private long position;
    private boolean isEnded; // the present segment gets no group any more

    /** The place of a written group. */
    record Written(long segment, long offset, long sizeBytes) {}

    /**
     * @param nextSegment the number of the segment that the first group creates
     */
    SegmentedWriter(
            LogFiles files,
            long segmentBytes,
            SegmentLedger ledger,
            LogId logId,
            long nextSegment,
            long nextSequence,
            long lowestSegment) {
        this.files = files;
        this.segmentBytes = segmentBytes;
        this.ledger = ledger;
        this.logId = logId;
        segment = nextSegment - 1;
        sequence = nextSequence;
        this.lowestSegment = lowestSegment;
    }

    /** From the next group on, the segments before {@code lowest} need not exist. */
    void releaseBefore(long lowest) {
        lowestSegment = Math.max(lowestSegment, lowest);
    }

    /** Begins a new segment with the next group. */
    void endSegment() {
        isEnded = true;
    }

    /** Writes a group and makes it durable. */
    Written write(List<PendingRecord> records) throws IOException {
        List<ByteBuffer> buffers = new ArrayList<>();
        LogFiles.Writer current = writer;
        if (current == null || isEnded || position >= segmentBytes || files.isSegmentPerGroup()) {
            current = roll(current);
            isEnded = false;
            cipher = SegmentCipher.create(files.encryption(), segment, sequence);
            ByteBuffer header = SegmentHeader.encode(logId, segment, sequence, cipher);
            position = header.remaining();
            buffers.add(header);
        }
        long offset = position;
        List<ByteBuffer> group =
                GroupEncoder.encode(records, sequence, lowestSegment, offset, cipher);
        buffers.addAll(group);
        for (ByteBuffer buffer : group) {
            position += buffer.remaining();
        }
        current.append(buffers);
        current.sync();
        sequence++;
        note(records);
        return new Written(segment, offset, position - offset);
    }

    private LogFiles.Writer roll(LogFiles.@Nullable Writer current) throws IOException {
        writer = null;
        if (current != null) {
            current.close();
        }
        segment++;
        LogFiles.Writer next = files.create(segment);
        writer = next;
        ledger.begin(segment);
        return next;
    }

    private void note(List<PendingRecord> records) {
        for (PendingRecord record : records) {
            ledger.add(segment, record.shard, record.lsn());
        }
        ledger.size(segment, position);
    }

    /** The lowest segment that may yet get a group. */
    long activeSegment() {
        return writer == null ? segment + 1 : segment;
    }

    /** The last group that is durable. */
    LogMark durable() {
        return new LogMark(logId, sequence - 1);
    }

    /** The present operation, for messages. */
    String describe() {
        return String.format(
                Locale.ROOT, "group %d to %s", sequence, files.describe(Math.max(segment, 1)));
    }

    /** Closes the present segment; what was written is durable already. */
    void close() throws IOException {
        LogFiles.Writer current = writer;
        writer = null;
        if (current != null) {
            current.close();
        }
    }
}
