package io.stele.protocol.wire;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;

/** The types of frames of the framed protocol; a code never changes its meaning. */
public enum FrameType {
    /** Client: magic, version, token. Always the first frame. */
    HELLO(1),
    /** Sidecar: version, node, limits. */
    HELLO_REPLY(2),
    /** Client: schema and table name. */
    GET_TABLE(3),
    /** Sidecar: TableDescription as JSON. */
    GET_TABLE_REPLY(4),
    /** Client: one batch for one shard. */
    WRITE(5),
    /** Sidecar: the LSN of a batch that is durable and applied. */
    WRITE_REPLY(6),
    /** Client: keys of one table. */
    MULTI_GET(7),
    /** Sidecar: a row or nothing for each key. */
    MULTI_GET_REPLY(8),
    /** Client: a check of the connection. */
    PING(9),
    /** Sidecar: the reply to a PING. */
    PING_REPLY(10),
    /** Sidecar: the request failed and had no effect. */
    ERROR(11),
    /**
     * Client: a repeatable action, as by Flight's DoAction, with its type and its request; see
     * {@link ActionCall}.
     */
    ACTION(12),
    /** Sidecar: the action's result. */
    ACTION_REPLY(13),
    /** Client, from version 2: the first request of a query. */
    OPEN_TABLE(14),
    /** Sidecar: the opened relation and snapshot. */
    OPEN_TABLE_REPLY(15),
    /** Client, from version 5: a range of keys of one shard. */
    SCAN(16),
    /** Sidecar: rows in the order of their keys, and the start of the next page. */
    SCAN_REPLY(17);

    private static final FrameType[] BY_CODE = new FrameType[18];

    static {
        for (FrameType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final byte code;

    FrameType(int code) {
        this.code = (byte) code;
    }

    /** The code in frames. */
    public byte code() {
        return code;
    }

    /** The type of a code; an unknown code is refused, because its payload cannot be decoded. */
    public static FrameType of(byte code) {
        if (code <= 0 || code >= BY_CODE.length) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a frame type from 1 to "
                            + (BY_CODE.length - 1)
                            + ", found "
                            + (code & 0xFF));
        }
        return BY_CODE[code];
    }
}
