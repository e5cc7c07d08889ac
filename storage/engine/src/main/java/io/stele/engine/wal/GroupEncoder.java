package io.stele.engine.wal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An encoder of the group of records that one write of the log consists of, into buffers that refer
 * to plain payloads without a copy. See {@link WalFormat}.
 *
 * <p>Stateless.
 */
final class GroupEncoder {
    private GroupEncoder() {}

    /**
     * The buffers of a group that starts at {@code offset} of its segment.
     *
     * @param cipher the cipher of the segment; null: its records are plain
     */
    static List<ByteBuffer> encode(
            List<PendingRecord> records,
            long sequence,
            long lowestSegment,
            long offset,
            @Nullable SegmentCipher cipher) {
        List<ByteBuffer> body = records(records);
        if (cipher != null) {
            ByteBuffer encrypted =
                    cipher.encrypt(body, sequence, lowestSegment, offset, records.size());
            body = new ArrayList<>(List.of(encrypted));
        }
        addEnd(body, sequence, offset + WalFormat.GROUP_HEADER_BYTES);
        CRC32C checksum = new CRC32C();
        SectorTally sectors = new SectorTally(offset + WalFormat.GROUP_HEADER_BYTES);
        long length = 0;
        for (ByteBuffer buffer : body) {
            length += buffer.remaining();
            sectors.add(buffer);
            checksum.update(buffer.duplicate());
        }
        ByteBuffer header = ByteBuffer.allocate(WalFormat.GROUP_HEADER_BYTES);
        new GroupHeader(
                        sectors.weak(),
                        sequence,
                        lowestSegment,
                        Math.toIntExact(offset),
                        Math.toIntExact(length),
                        records.size(),
                        (int) checksum.getValue())
                .encode(header);
        List<ByteBuffer> group = new ArrayList<>(body.size() + 1);
        group.add(header.flip());
        group.addAll(body);
        return group;
    }

    private static List<ByteBuffer> records(List<PendingRecord> records) {
        List<ByteBuffer> body = new ArrayList<>(2 * records.size() + 1);
        ByteBuffer headers = ByteBuffer.allocate(records.size() * WalFormat.RECORD_HEADER_BYTES);
        for (PendingRecord record : records) {
            int start = headers.position();
            headers.putLong(record.lsn())
                    .putInt(record.shard.tableGroup())
                    .putInt(record.shard.index())
                    .put(record.type.id())
                    .putInt(record.length);
            body.add(headers.slice(start, WalFormat.RECORD_HEADER_BYTES));
            for (ByteBuffer piece : record.payload) {
                body.add(piece.duplicate());
            }
        }
        return body;
    }

    private static void addEnd(List<ByteBuffer> body, long sequence, long offset) {
        long end = offset;
        for (ByteBuffer buffer : body) {
            end += buffer.remaining();
        }
        int padding = WalFormat.padding(end + WalFormat.GROUP_END_BYTES);
        ByteBuffer groupEnd = ByteBuffer.allocate(padding + WalFormat.GROUP_END_BYTES);
        body.add(groupEnd.putLong(padding, sequence).putInt(padding + 8, WalFormat.END_MARK));
    }
}
