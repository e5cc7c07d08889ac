package io.stele.protocol.wire;

import java.time.Duration;
import java.util.UUID;

/**
 * The constants of the framed protocol between clients and sidecars: its versions, and the limits
 * of frames, batches, keys, rows and texts. The error for a peer that exceeds a limit names the
 * limit and by how much it was exceeded.
 */
public final class WireLimits {
    /** First four bytes of a HELLO, "STLE". */
    public static final int MAGIC = 0x53544C45;

    /** The version of this code. */
    public static final int VERSION = 6;

    /** The oldest version that clients accept from an older sidecar. */
    public static final int MIN_VERSION = 1;

    /** The first version with {@link FrameType#OPEN_TABLE}. */
    public static final int OPEN_TABLE_VERSION = 2;

    /** The first version that begins and commits transactions by {@link FrameType#ACTION}. */
    public static final int TRANSACTIONS_VERSION = 3;

    /** The first version whose plans have files with metadata in their key indexes. */
    public static final int INDEXED_METADATA_VERSION = 4;

    /** The first version with {@link FrameType#SCAN}. */
    public static final int SCAN_VERSION = 5;

    /** The first version whose {@link FrameType#SCAN} may read against the order of keys. */
    public static final int DESCENDING_SCAN_VERSION = 6;

    /** The bytes of type and request id, which the length of a frame includes. */
    public static final int FRAME_OVERHEAD_BYTES = 5;

    /** The greatest value of a frame's length field. */
    public static final int MAX_FRAME_BYTES = 64 << 20;

    /**
     * The greatest frame before a connection is authenticated: enough for a token, too small for an
     * attack on memory.
     */
    public static final int MAX_HELLO_BYTES = 16 << 10;

    /** The greatest write batch: a frame without the head of a WRITE. */
    public static final int MAX_BATCH_BYTES = MAX_FRAME_BYTES - 1024;

    /** Greatest number of operations in a batch. */
    public static final int MAX_OPERATIONS = 1 << 20;

    /** Greatest encoded key. */
    public static final int MAX_KEY_BYTES = 64 << 10;

    /** Greatest encoded row. */
    public static final int MAX_ROW_BYTES = 16 << 20;

    /** Greatest number of keys in a MULTI_GET. */
    public static final int MAX_KEYS = 1 << 16;

    /** Greatest number of rows in a page of a SCAN. */
    public static final int MAX_SCANNED_ROWS = 1 << 16;

    /** The greatest bound of a SCAN: the bound after the greatest key has one byte more. */
    public static final int MAX_BOUND_BYTES = MAX_KEY_BYTES + 1;

    /** Greatest text field (names, tokens, messages), in UTF-8 bytes. */
    public static final int MAX_TEXT_BYTES = 8 << 10;

    /**
     * The greatest number of unanswered batches of a writer to one shard, which stores the outcomes
     * of as many latest batches. The sidecar sends its value in HELLO_REPLY.
     */
    public static final int MAX_UNANSWERED_BATCHES = 1024;

    /**
     * The time for which a shard remembers a writer after its last batch. Clients repeat batches
     * for at most a sixth of it.
     */
    public static final Duration WRITER_MEMORY = Duration.ofHours(1);

    /** The writer id of batches that are never sent again, whose outcomes are not remembered. */
    public static final UUID ANONYMOUS_WRITER = new UUID(0, 0);

    private WireLimits() {}
}
