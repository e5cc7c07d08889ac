package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ShardId;
import java.util.UUID;

/**
 * The payload of a WRITE frame, one write batch for one shard: {@code table group 4 | shard 4 |
 * writer id 16 | sequence 8 | batch}.
 *
 * <p>Invariant: a writer's sequences rise within a shard, in the order sent; a shard that has
 * applied a sequence replies to this and lower sequences without applying them again. So a batch
 * may be sent again after a lost connection.
 *
 * @param payload the frame's payload; the batch is {@code [batchOffset, payload.length)}
 */
public record Write(ShardId shard, UUID writerId, long sequence, byte[] payload, int batchOffset) {
    /** The number of bytes before the batch. */
    public static final int HEAD_BYTES = 32;

    public Write {
        requireNonNull(shard, "shard is null");
        requireNonNull(writerId, "writerId is null");
        requireNonNull(payload, "payload is null");
    }

    public int batchLength() {
        return payload.length - batchOffset;
    }

    /** The bytes before the batch; the batch follows them in the frame. */
    public static byte[] encodeHead(ShardId shard, UUID writerId, long sequence) {
        byte[] head = new byte[HEAD_BYTES];
        BigEndian.putInt(head, 0, shard.tableGroup());
        BigEndian.putInt(head, 4, shard.index());
        BigEndian.putLong(head, 8, writerId.getMostSignificantBits());
        BigEndian.putLong(head, 16, writerId.getLeastSignificantBits());
        BigEndian.putLong(head, 24, sequence);
        return head;
    }

    /** Decodes the head; {@link WriteBatchReader} checks the batch. */
    public static Write decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.WRITE, frame);
        int tableGroup = reader.getInt("table group");
        int index = reader.getInt("shard");
        if (tableGroup < 0 || index < 0) {
            throw reader.malformed("a shard (table group " + tableGroup + ")", index);
        }
        UUID writerId = new UUID(reader.getLong("writer id"), reader.getLong("writer id"));
        long sequence = reader.getLong("sequence");
        return new Write(
                new ShardId(tableGroup, index), writerId, sequence, frame.payload(), reader.rest());
    }
}
