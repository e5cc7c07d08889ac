package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;

/** The answer to WRITE: {@code lsn 8}, at or after which every reader sees the batch. */
public record WriteReply(Lsn lsn) {
    public WriteReply {
        requireNonNull(lsn, "lsn is null");
    }

    public byte[] encode() {
        byte[] payload = new byte[8];
        BigEndian.putLong(payload, 0, lsn.value());
        return payload;
    }

    public static WriteReply decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.WRITE_REPLY, frame);
        WriteReply message = new WriteReply(reader.getLsn("lsn"));
        reader.end();
        return message;
    }
}
