package io.stele.engine.wal;

import io.stele.objectstore.encryption.Encryption;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Locale;

/**
 * The byte format of a segment file of the log, with its constants. All numbers are big-endian.
 *
 * <pre>
 * segment  = header group*
 * header   = magic 8 "STELEWAL" | version 4 | log id 4 (0: none) | segment number 8 | sequence of the first group 8
 *            | CRC32C 4 of the 32 bytes before
 * group    = magic 4 "SGRP" | version 1 | flags 1 | reserved 2 (0) | sequence 8 | lowest segment 8 | offset in the segment 4
 *            | body length 4 | record count 4 | CRC32C of the body 4 | CRC32C 4 of the 40 bytes before | body
 * body     = record* | zeros | sequence 8 | end mark 4
 * record   = LSN 8 | table group 4 | shard 4 | type 1 | payload length 4 | payload
 * </pre>
 *
 * <p>Where the log is encrypted, the header has version {@value #ENCRYPTED_VERSION} and a key
 * behind it, and records are in another form (see {@link SegmentCipher}):
 *
 * <pre>
 * header   = as above | wrapped key 92 (see docs/format.md) | CRC32C 4 of the wrapped key
 * body     = length of the records 4 | AES-GCM of record* | tag 16 | zeros | sequence 8 | end mark 4
 * </pre>
 *
 * <p>The zeros before the end (usually none) prevent the next group header from crossing a boundary
 * of 512 bytes, so that a header is in one disk sector. Flag {@link #FLAG_WEAK_SECTOR} means that
 * some sector of the group has fewer than two bits set, so that zeros there prove nothing; see
 * {@link TailInspector}. "Lowest segment" is the oldest segment that was not released for deletion
 * when the group was written.
 *
 * <p>Invariant: group sequences are dense across segments, from 1.
 */
final class WalFormat {
    static final int VERSION = 1;

    static final long SEGMENT_MAGIC = 0x5354454C4557414CL; // STELEWAL
    static final int SEGMENT_HEADER_BYTES = 36;

    /** The version of a segment whose records are encrypted. */
    static final int ENCRYPTED_VERSION = 2;

    /** The bytes after the header of a segment whose records are encrypted. */
    static final int SEGMENT_KEY_BYTES = Encryption.WRAPPED_KEY_BYTES + Integer.BYTES;

    static final int GROUP_MAGIC = 0x53475250; // SGRP
    static final int GROUP_HEADER_BYTES = 44;
    static final byte FLAG_WEAK_SECTOR = 1;

    static final int RECORD_HEADER_BYTES = 21;

    /**
     * Four bytes with several bits set in each, so that a lost sector at the end of a group cannot
     * look whole.
     */
    static final int END_MARK = 0x57E1E5D7;

    /** The sequence and the end mark. */
    static final int GROUP_END_BYTES = 12;

    /** The smallest unit that disks write whole or not at all. */
    static final int SECTOR_BYTES = 512;

    private WalFormat() {}

    /** The number of zeros to put into a body that would otherwise end at {@code end}. */
    static int padding(long end) {
        int rest = SECTOR_BYTES - (int) (end % SECTOR_BYTES);
        return rest < GROUP_HEADER_BYTES ? rest : 0;
    }

    /** CORRUPT_DATA of a file or object, at an offset in it. */
    static SteleException corrupt(String expected, String found, String where, long offset) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                String.format(
                        Locale.ROOT,
                        "Expected %s, found %s in %s at offset %d",
                        expected,
                        found,
                        where,
                        offset));
    }
}
