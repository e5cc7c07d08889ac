package io.stele.engine.wal;

import io.stele.objectstore.encryption.Encryption;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A reader of one log segment in recovery, from its first to its last whole group. A torn end of
 * the last segment ends the scan. Any other damage fails the recovery of the log.
 *
 * <p>Confined to one thread.
 */
final class SegmentScanner {
    private final LogFiles.Reader reader;
    private final String file;
    private final long segment;
    private final boolean last;
    private final long sizeBytes;
    private final TailInspector tail;
    private final long dueSequence;
    private final Encryption encryption;
    private @Nullable SegmentCipher cipher; // null: the records are plain

    /** The end of a scan. */
    record End(long position, long lastGroup, long nextSequence, long lowestSegment) {
        /** Whether there was no group. */
        boolean isEmpty() {
            return position == lastGroup;
        }
    }

    /**
     * @param last whether it is the last segment, which a crash may have torn
     * @param dueSequence the expected sequence of the segment's first group, if the segment is the
     *     last one
     */
    SegmentScanner(
            LogFiles.Reader reader,
            String file,
            long segment,
            boolean last,
            long dueSequence,
            Encryption encryption)
            throws IOException {
        this.dueSequence = dueSequence;
        this.encryption = encryption;
        this.reader = reader;
        this.file = file;
        this.segment = segment;
        this.last = last;
        sizeBytes = reader.sizeBytes();
        tail = new TailInspector(reader, sizeBytes);
    }

    /** The header, if there is a whole one. */
    static Optional<SegmentHeader> peek(LogFiles.Reader reader) throws IOException {
        if (reader.sizeBytes() < WalFormat.SEGMENT_HEADER_BYTES) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.allocate(WalFormat.SEGMENT_HEADER_BYTES);
        reader.read(0, bytes);
        bytes.flip();
        return SegmentHeader.expectedChecksum(bytes) == SegmentHeader.foundChecksum(bytes)
                        && bytes.getLong(0) == WalFormat.SEGMENT_MAGIC
                ? Optional.of(SegmentHeader.decode(bytes, "a segment"))
                : Optional.empty();
    }

    /** The header; empty if it is torn, so that the segment holds nothing. */
    Optional<SegmentHeader> readHeader() throws IOException {
        if (sizeBytes < WalFormat.SEGMENT_HEADER_BYTES) {
            return torn(
                    String.format(
                            Locale.ROOT,
                            "a segment header of %d bytes",
                            WalFormat.SEGMENT_HEADER_BYTES),
                    String.format(Locale.ROOT, "%d bytes", sizeBytes),
                    0);
        }
        ByteBuffer bytes = read(0, WalFormat.SEGMENT_HEADER_BYTES);
        int expected = SegmentHeader.expectedChecksum(bytes);
        int found = SegmentHeader.foundChecksum(bytes);
        if (expected != found) {
            if (last && tail.tornWithoutHeader(0, WalFormat.SEGMENT_HEADER_BYTES, dueSequence)) {
                return Optional.empty();
            }
            throw badChecksum("segment header", expected, found, 0);
        }
        SegmentHeader header = SegmentHeader.decode(bytes, file);
        if (header.segment() != segment) {
            throw corrupt("segment number " + segment, Long.toString(header.segment()), 16);
        }
        return header.encrypted() ? readKey(header) : Optional.of(header);
    }

    /** The key is in the header's sector, so that a crash leaves both or neither. */
    private Optional<SegmentHeader> readKey(SegmentHeader header) throws IOException {
        int position = WalFormat.SEGMENT_HEADER_BYTES;
        if (sizeBytes < header.length()) {
            return torn(
                    String.format(Locale.ROOT, "a key of %d bytes", WalFormat.SEGMENT_KEY_BYTES),
                    String.format(Locale.ROOT, "%d bytes", sizeBytes - position),
                    position);
        }
        ByteBuffer bytes = read(position, WalFormat.SEGMENT_KEY_BYTES);
        byte[] key = new byte[Encryption.WRAPPED_KEY_BYTES];
        bytes.get(key);
        int expected = bytes.getInt();
        int found = Checksums.crc32c(bytes, 0, key.length);
        if (expected != found) {
            throw badChecksum("segment key", expected, found, position);
        }
        cipher =
                SegmentCipher.open(
                        encryption,
                        header,
                        key,
                        String.format(Locale.ROOT, "%s at offset %d", file, position));
        return Optional.of(header);
    }

    /**
     * Reads the groups after the header, passing their records to {@code consumer} and {@code
     * ledger}.
     */
    End scan(SegmentHeader header, SegmentLedger ledger, ReplayConsumer consumer)
            throws IOException {
        End end = new End(header.length(), header.length(), header.firstSequence(), 1);
        while (end.position() < sizeBytes) {
            Optional<GroupHeader> group = readGroupHeader(end.position(), end.nextSequence());
            Optional<ByteBuffer> body =
                    group.isPresent() ? readBody(group.get()) : Optional.empty();
            if (body.isEmpty()) {
                return end;
            }
            readRecords(group.get(), body.get(), ledger, consumer);
            end =
                    new End(
                            group.get().end(),
                            end.position(),
                            end.nextSequence() + 1,
                            group.get().lowestSegment());
        }
        return end;
    }

    private Optional<GroupHeader> readGroupHeader(long position, long sequence) throws IOException {
        if (sizeBytes - position < WalFormat.GROUP_HEADER_BYTES) {
            return torn(
                    String.format(
                            Locale.ROOT,
                            "a group header of %d bytes",
                            WalFormat.GROUP_HEADER_BYTES),
                    String.format(Locale.ROOT, "%d bytes", sizeBytes - position),
                    position);
        }
        ByteBuffer bytes = read(position, WalFormat.GROUP_HEADER_BYTES);
        Optional<GroupHeader> header = GroupHeader.find(bytes, 0);
        if (header.isEmpty()) {
            if (last && tail.tornWithoutHeader(position, WalFormat.GROUP_HEADER_BYTES, sequence)) {
                return Optional.empty();
            }
            throw badHeader(bytes, position);
        }
        if (header.get().offset() != position) {
            throw corrupt(
                    "group offset " + position, Integer.toString(header.get().offset()), position);
        }
        if (header.get().sequence() != sequence) {
            throw corrupt(
                    "group sequence " + sequence, Long.toString(header.get().sequence()), position);
        }
        return header;
    }

    private Optional<ByteBuffer> readBody(GroupHeader header) throws IOException {
        if (header.end() > sizeBytes) {
            return torn(
                    String.format(Locale.ROOT, "a group that ends at offset %d", header.end()),
                    String.format(Locale.ROOT, "the end of the file at %d", sizeBytes),
                    header.offset());
        }
        ByteBuffer body =
                read((long) header.offset() + WalFormat.GROUP_HEADER_BYTES, header.length());
        int found = Checksums.crc32c(body, 0, header.length());
        if (found != header.checksum()) {
            if (last && tail.tornBody(header)) {
                return Optional.empty();
            }
            throw badChecksum(
                    "group " + header.sequence(), header.checksum(), found, header.offset());
        }
        return Optional.of(body);
    }

    private void readRecords(
            GroupHeader header, ByteBuffer body, SegmentLedger ledger, ReplayConsumer consumer) {
        ByteBuffer records = records(header, body);
        for (int i = 0; i < header.recordCount(); i++) {
            int at = records.position();
            long offset = (long) header.offset() + WalFormat.GROUP_HEADER_BYTES + at;
            Lsn lsn = new Lsn(records.getLong());
            ShardId shard = new ShardId(records.getInt(), records.getInt());
            byte typeId = records.get();
            RecordType type =
                    RecordType.find(typeId)
                            .orElseThrow(
                                    () ->
                                            corrupt(
                                                    "a known record type",
                                                    Byte.toString(typeId),
                                                    offset));
            int length = records.getInt();
            ByteBuffer payload = records.slice(records.position(), length);
            records.position(records.position() + length);
            ledger.add(segment, shard, lsn.value());
            consumer.accept(shard, lsn, type, payload);
        }
        int end = body.limit() - WalFormat.GROUP_END_BYTES;
        if (end < body.position()
                || body.getLong(end) != header.sequence()
                || body.getInt(end + 8) != WalFormat.END_MARK) {
            throw corrupt(
                    "the end of group " + header.sequence(),
                    body.remaining() + " other bytes",
                    header.offset());
        }
    }

    /** The records of a group; if they were encrypted, the body's position is behind them. */
    private ByteBuffer records(GroupHeader header, ByteBuffer body) {
        if (cipher == null) {
            if (header.recordCount() > 0) {
                encryption.checkPlain(
                        String.format(Locale.ROOT, "%s at offset %d", file, header.offset()));
            }
            return body;
        }
        return cipher.decrypt(header, body)
                .orElseThrow(
                        () ->
                                corrupt(
                                        "the records of group "
                                                + header.sequence()
                                                + " under their tag",
                                        "bytes that were changed or are from elsewhere",
                                        header.offset()));
    }

    private ByteBuffer read(long position, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        reader.read(position, bytes);
        return bytes.flip();
    }

    private <T> Optional<T> torn(String expected, String found, long position) {
        if (!last) {
            throw corrupt(expected, found, position);
        }
        return Optional.empty();
    }

    private SteleException badHeader(ByteBuffer bytes, long position) {
        int magic = bytes.getInt(0);
        int expected = GroupHeader.expectedChecksum(bytes, 0);
        int found = GroupHeader.foundChecksum(bytes, 0);
        if (magic == WalFormat.GROUP_MAGIC && expected == found) {
            return corrupt(
                    "log version " + WalFormat.VERSION, Byte.toString(bytes.get(4)), position);
        }
        return corrupt(
                String.format(
                        Locale.ROOT,
                        "group magic %08x with header checksum %08x",
                        WalFormat.GROUP_MAGIC,
                        expected),
                String.format(Locale.ROOT, "magic %08x with checksum %08x", magic, found),
                position);
    }

    private SteleException badChecksum(String what, int expected, int found, long position) {
        return corrupt(
                String.format(Locale.ROOT, "checksum %08x of %s", expected, what),
                String.format(Locale.ROOT, "%08x", found),
                position);
    }

    private SteleException corrupt(String expected, String found, long position) {
        return WalFormat.corrupt(expected, found, file.toString(), position);
    }
}
