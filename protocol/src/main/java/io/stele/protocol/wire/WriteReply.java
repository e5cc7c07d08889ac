package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.util.Arrays;

/**
 * The payload of the reply to WRITE: {@code lsn 8}, at or after which every reader sees the batch,
 * and {@code skipped varint}, the number of its operations without effect.
 */
public record WriteReply(Lsn lsn, int skipped) {
    public WriteReply {
        requireNonNull(lsn, "lsn is null");
        if (skipped < 0) {
            throw new IllegalArgumentException("Expected skipped >= 0, found " + skipped);
        }
    }

    public byte[] encode() {
        byte[] payload = new byte[8 + Varint.MAX_BYTES];
        BigEndian.putLong(payload, 0, lsn.value());
        int end = Varint.put(payload, 8, skipped);
        return Arrays.copyOf(payload, end);
    }

    public static WriteReply decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.WRITE_REPLY, frame);
        Lsn lsn = reader.getLsn("lsn");
        int skipped = reader.getVarint("skipped operations");
        reader.end();
        return new WriteReply(lsn, skipped);
    }
}
