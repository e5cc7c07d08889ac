package io.stele.cache.page.segment;

import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The codec of the journal file {@code index} of a cache directory (big-endian): a header, then
 * records, each with its own checksum. The first record with a wrong checksum was torn, and ends
 * the file.
 *
 * <pre>
 * header
 * 0      magic               8  STELEPGI
 * 8      version             4  2
 * 12     page bytes          4
 * 16     block bytes         4
 * 20     units of a page     4  at most
 * 24     units of a segment  4
 * 28     checksum            4  CRC32C of the 28 bytes before
 *
 * record
 * 0      type                1  1 page, 2 table
 * 1      queue               1  of a page: 1 window, 2 probation, 3 protected
 * 2      table               2  number of the table in this file, from 0 (tables without a number)
 * 4      body length         4
 * 8      body
 * 8 + n  checksum            4  CRC32C of what comes before
 *
 * body of a page: key 16, places of four groups of units 4 each ({@link Places}; -1: nothing is
 *   here), units that are here 2 (a bit each, unit 0 in the lowest), frequency 2
 * body of a table: its name in UTF-8
 * </pre>
 *
 * <p>A page's record states that units of the page are in these places, that no other page is
 * there, and that the page was used later than the pages of earlier records. A record may be wrong,
 * because each block is verified for its page ({@link io.stele.cache.page.PageBlocks}).
 */
final class IndexJournal {
    static final int HEADER_BYTES = 32;
    static final int PAGE = 1;
    static final int TABLE = 2;

    /** The length of a page's record. */
    static final int PAGE_RECORD_BYTES = 8 + 36 + 4;

    static final int MAX_NAME_BYTES = 1024;

    private static final long MAGIC = 0x5354454C45504749L; // STELEPGI
    private static final int VERSION = 2;
    private static final int PAGE_BODY_BYTES = 36;

    private IndexJournal() {}

    static void header(PageGeometry geometry, int unitsPerSegment, ByteBuffer target) {
        int start = target.position();
        target.putLong(MAGIC).putInt(VERSION).putInt(geometry.pageBytes());
        target.putInt(geometry.blockBytes()).putInt(geometry.maxUnits());
        target.putInt(unitsPerSegment);
        target.putInt(checksum(target, start));
    }

    /** Whether the file begins with the header of a directory with this layout. */
    static boolean isHeader(PageGeometry geometry, int unitsPerSegment, ByteBuffer source) {
        if (source.remaining() < HEADER_BYTES) {
            return false;
        }
        ByteBuffer expected = ByteBuffer.allocate(HEADER_BYTES);
        header(geometry, unitsPerSegment, expected);
        byte[] found = new byte[HEADER_BYTES];
        source.get(found);
        return Arrays.equals(expected.array(), found);
    }

    static void page(PutRecord page, ByteBuffer target) {
        int start = target.position();
        target.put((byte) PAGE).put((byte) page.queue()).putShort((short) page.table());
        target.putInt(PAGE_BODY_BYTES);
        target.putLong(page.key().high()).putLong(page.key().low());
        for (int group = 0; group < Places.GROUPS; group++) {
            target.putInt(page.places()[group]);
        }
        target.putShort((short) page.mask()).putShort((short) page.frequency());
        target.putInt(checksum(target, start));
    }

    /**
     * The record of a table's name; a too long name is cut, and its pages are counted for the cut
     * name.
     */
    static ByteBuffer table(int number, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, MAX_NAME_BYTES);
        ByteBuffer target = ByteBuffer.allocate(8 + length + 4);
        target.put((byte) TABLE).put((byte) 0).putShort((short) number);
        target.putInt(length).put(bytes, 0, length);
        target.putInt(checksum(target, 0));
        return target.flip();
    }

    /** A decoded record. */
    record Record(int type, int queue, int table, ByteBuffer body) {
        String name() {
            return StandardCharsets.UTF_8.decode(body.duplicate()).toString();
        }

        PutRecord page() {
            ByteBuffer source = body.duplicate();
            PageKey key = new PageKey(source.getLong(), source.getLong());
            int[] places = new int[Places.GROUPS];
            for (int group = 0; group < places.length; group++) {
                places[group] = source.getInt();
            }
            int mask = Short.toUnsignedInt(source.getShort());
            int frequency = Short.toUnsignedInt(source.getShort());
            return new PutRecord(key, table, queue, mask, places, frequency);
        }
    }

    /** Reads the record at the buffer's position; empty at the end and at a torn record. */
    static Optional<Record> read(ByteBuffer source) {
        int start = source.position();
        if (source.remaining() < 12) {
            return Optional.empty();
        }
        int type = source.get();
        int queue = source.get();
        int table = source.getShort();
        int length = source.getInt();
        boolean known =
                type == PAGE && length == PAGE_BODY_BYTES
                        || type == TABLE && length >= 0 && length <= MAX_NAME_BYTES;
        if (!known || source.remaining() < length + 4) {
            source.position(start);
            return Optional.empty();
        }
        ByteBuffer body = source.slice(source.position(), length);
        source.position(source.position() + length);
        if (checksum(source, start) != source.getInt()) {
            source.position(start);
            return Optional.empty();
        }
        return Optional.of(new Record(type, queue, table, body));
    }

    /** The checksum of the bytes from {@code start} to the buffer's position. */
    private static int checksum(ByteBuffer buffer, int start) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.slice(start, buffer.position() - start));
        return (int) crc.getValue();
    }
}
