package io.stele.objectstore.encryption;

import java.util.OptionalLong;

/**
 * The byte layout of the encrypted form of an object.
 *
 * <pre>
 * object  = magic 8 "STELEENC" | chunk* | trailer 128
 * chunk   = AES-GCM of 32,768 bytes, of the last chunk 1 to 32,768 | tag 16
 * </pre>
 *
 * <p>An empty object has no chunk. So the plain and the stored length follow from each other. The
 * trailer is at the end because files are read there first.
 */
final class EncryptedLayout {
    static final int HEADER_BYTES = Long.BYTES;

    /**
     * 32 KiB: the blocks of the checksums of column files, which are read whole anyway, and little
     * more than the blocks of SST files.
     */
    static final int CHUNK_BYTES = 32 << 10;

    static final int STORED_CHUNK_BYTES = CHUNK_BYTES + DataKey.TAG_BYTES;

    private EncryptedLayout() {}

    static long chunks(long sizeBytes) {
        return Math.ceilDiv(sizeBytes, CHUNK_BYTES);
    }

    /** The length of the encrypted form of an object. */
    static long storedBytes(long sizeBytes) {
        return HEADER_BYTES
                + sizeBytes
                + chunks(sizeBytes) * DataKey.TAG_BYTES
                + EncryptedTrailer.BYTES;
    }

    /**
     * The length of an object from that of its encrypted form; empty if no object has one of that
     * length.
     */
    static OptionalLong sizeBytes(long storedBytes) {
        long body = storedBytes - HEADER_BYTES - EncryptedTrailer.BYTES;
        if (body < 0) {
            return OptionalLong.empty();
        }
        long last = body % STORED_CHUNK_BYTES;
        return last != 0 && last <= DataKey.TAG_BYTES
                ? OptionalLong.empty()
                : OptionalLong.of(
                        body - Math.ceilDiv(body, STORED_CHUNK_BYTES) * DataKey.TAG_BYTES);
    }

    /** The start of a chunk. */
    static long storedOffset(long chunk) {
        return HEADER_BYTES + chunk * STORED_CHUNK_BYTES;
    }

    /** The end of a chunk, with its tag. */
    static long storedEnd(long chunk, long sizeBytes) {
        return Math.min(storedOffset(chunk + 1), storedBytes(sizeBytes) - EncryptedTrailer.BYTES);
    }
}
