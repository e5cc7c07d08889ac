package io.stele.engine.wal;

import io.stele.objectstore.encryption.DataKey;
import io.stele.objectstore.encryption.Encryption;
import io.stele.objectstore.encryption.Encryption.NewKey;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cipher of the records in the groups of one log segment, under a key that the segment's header
 * contains in wrapped form. A group's number in GCM is its sequence, which no other group has; its
 * additional data are {@code segment 8 | lowest segment 8 | offset 4 | record count 4}, so that a
 * group that is moved or whose header was changed fails.
 *
 * <p>Confined to one thread.
 */
final class SegmentCipher {
    private static final int CONTEXT_BYTES = 24;

    private final long segment;
    private final byte[] wrappedKey;
    private final DataKey.PieceCipher cipher;

    private SegmentCipher(long segment, byte[] wrappedKey, DataKey key) {
        this.segment = segment;
        this.wrappedKey = wrappedKey;
        this.cipher = key.cipher();
    }

    /** The cipher of a new segment; null if nothing is encrypted. */
    static @Nullable SegmentCipher create(Encryption encryption, long segment, long firstSequence) {
        Optional<NewKey> key = encryption.newKey(context(segment, firstSequence));
        return key.isEmpty()
                ? null
                : new SegmentCipher(segment, key.get().wrapped(), key.get().key());
    }

    /**
     * The cipher of an existing segment.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA when the master key is not available,
     *     or the key is another segment's
     */
    static SegmentCipher open(
            Encryption encryption, SegmentHeader header, byte[] wrappedKey, String where) {
        byte[] context = context(header.segment(), header.firstSequence());
        return new SegmentCipher(
                header.segment(), wrappedKey, encryption.unwrap(wrappedKey, context, where));
    }

    /** The context to which a segment's key is bound. */
    private static byte[] context(long segment, long firstSequence) {
        return ByteBuffer.allocate(2 * Long.BYTES).putLong(segment).putLong(firstSequence).array();
    }

    /** The wrapped key, as in the header. */
    byte[] wrappedKey() {
        return wrappedKey;
    }

    /** The encrypted records as a group contains them, with their length first. */
    ByteBuffer encrypt(
            List<ByteBuffer> records,
            long sequence,
            long lowestSegment,
            long offset,
            int recordCount) {
        int length = 0;
        for (ByteBuffer piece : records) {
            length += piece.remaining();
        }
        byte[] plain = new byte[length];
        int position = 0;
        for (ByteBuffer piece : records) {
            int count = piece.remaining();
            piece.get(piece.position(), plain, position, count);
            position += count;
        }
        byte[] encrypted = new byte[Integer.BYTES + length + DataKey.TAG_BYTES];
        ByteBuffer.wrap(encrypted).putInt(length);
        cipher.encrypt(
                sequence,
                false,
                groupContext(lowestSegment, offset, recordCount),
                plain,
                0,
                length,
                encrypted,
                Integer.BYTES);
        return ByteBuffer.wrap(encrypted);
    }

    /**
     * The records of a group; sets the position of its body after them.
     *
     * @return empty if they were changed after they were written
     */
    Optional<ByteBuffer> decrypt(GroupHeader header, ByteBuffer body) {
        if (body.remaining() < Integer.BYTES) {
            return Optional.empty();
        }
        int length = body.getInt();
        if (length < 0 || length > body.remaining() - DataKey.TAG_BYTES) {
            return Optional.empty();
        }
        byte[] encrypted = new byte[length + DataKey.TAG_BYTES];
        body.get(encrypted);
        byte[] records = new byte[length];
        boolean good =
                cipher.decrypt(
                        header.sequence(),
                        false,
                        groupContext(header.lowestSegment(), header.offset(), header.recordCount()),
                        encrypted,
                        0,
                        encrypted.length,
                        records,
                        0);
        return good ? Optional.of(ByteBuffer.wrap(records)) : Optional.empty();
    }

    private byte[] groupContext(long lowestSegment, long offset, int recordCount) {
        return ByteBuffer.allocate(CONTEXT_BYTES)
                .putLong(segment)
                .putLong(lowestSegment)
                .putInt(Math.toIntExact(offset))
                .putInt(recordCount)
                .array();
    }
}
