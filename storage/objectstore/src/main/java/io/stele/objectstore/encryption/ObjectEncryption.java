package io.stele.objectstore.encryption;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.encryption.DataKey.PieceCipher;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/**
 * An encryptor and decryptor of whole objects, and of single chunks, in memory. Each encrypted
 * object has a data key of its own, so equal objects never look alike. Thread-safe.
 */
final class ObjectEncryption {
    static final byte[] NO_CONTEXT = {};

    private final MasterKeys masterKeys;
    private final RandomGenerator random;
    private final boolean refusesPlain;

    /**
     * @param random cryptographic, and safe for many threads
     * @param refusesPlain whether an object that is not encrypted is an error
     */
    ObjectEncryption(MasterKeys masterKeys, RandomGenerator random, boolean refusesPlain) {
        this.masterKeys = requireNonNull(masterKeys, "masterKeys is null");
        this.random = requireNonNull(random, "random is null");
        this.refusesPlain = refusesPlain;
    }

    MasterKeys masterKeys() {
        return masterKeys;
    }

    DataKey newKey() {
        return DataKey.create(random);
    }

    byte[] wrap(DataKey key, byte[] context) {
        ByteBuffer wrapped = ByteBuffer.allocate(WrappedKey.BYTES);
        masterKeys.wrap(key, context, random).encode(wrapped);
        return wrapped.array();
    }

    byte[] trailer(DataKey key, String path, long sizeBytes) {
        return EncryptedTrailer.encode(masterKeys, random, key, path, sizeBytes);
    }

    /** The encrypted form of an object. */
    byte[] encrypt(String path, byte[] content) {
        DataKey key = newKey();
        byte[] stored = new byte[Math.toIntExact(EncryptedLayout.storedBytes(content.length))];
        System.arraycopy(EncryptedTrailer.MAGIC, 0, stored, 0, EncryptedLayout.HEADER_BYTES);
        PieceCipher cipher = key.cipher();
        long chunks = EncryptedLayout.chunks(content.length);
        for (int chunk = 0; chunk < chunks; chunk++) {
            int from = chunk * EncryptedLayout.CHUNK_BYTES;
            cipher.encrypt(
                    chunk,
                    chunk == chunks - 1,
                    NO_CONTEXT,
                    content,
                    from,
                    Math.min(EncryptedLayout.CHUNK_BYTES, content.length - from),
                    stored,
                    Math.toIntExact(EncryptedLayout.storedOffset(chunk)));
        }
        byte[] trailer = trailer(key, path, content.length);
        System.arraycopy(trailer, 0, stored, stored.length - trailer.length, trailer.length);
        return stored;
    }

    /**
     * The content of a stored object, which may be plain.
     *
     * @throws SteleException CORRUPT_DATA if it is damaged or has no master key here, or is plain
     *     and plain objects are refused
     */
    byte[] decrypt(String path, byte[] stored, String where) {
        if (!isEncrypted(stored)) {
            checkPlain(where + " at offset 0");
            return stored;
        }
        long sizeBytes = sizeOf(stored.length, where);
        if (!EncryptedTrailer.isMagic(stored, 0)) {
            throw EncryptedTrailer.mismatch(
                    "the beginning of an encrypted object", "other bytes", where, 0);
        }
        DataKey key =
                EncryptedTrailer.decode(
                        masterKeys,
                        stored,
                        stored.length - EncryptedTrailer.BYTES,
                        path,
                        sizeBytes,
                        where);
        byte[] content = new byte[Math.toIntExact(sizeBytes)];
        decrypt(key, sizeBytes, stored, 0, 0, content, 0, content.length, where);
        return content;
    }

    /** Checks the first and the last bytes, because one of them may be damaged. */
    private static boolean isEncrypted(byte[] stored) {
        return EncryptedTrailer.isMagic(stored, 0)
                || EncryptedTrailer.isMagic(stored, stored.length - EncryptedTrailer.MAGIC.length);
    }

    /** The length of an object, from that of its encrypted form. */
    static long sizeOf(long storedBytes, String where) {
        OptionalLong sizeBytes = EncryptedLayout.sizeBytes(storedBytes);
        if (sizeBytes.isEmpty()) {
            throw EncryptedTrailer.mismatch(
                    "an encrypted object that is whole",
                    "one that is cut after %d bytes".formatted(storedBytes),
                    where,
                    storedBytes);
        }
        return sizeBytes.getAsLong();
    }

    /**
     * @throws SteleException CORRUPT_DATA if plain objects are refused
     */
    void checkPlain(String where) {
        if (refusesPlain) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected an encrypted object (stele.encryption.refuse-plain), found a plain one: "
                            + where,
                    OtherKeysException.plain());
        }
    }

    /** Whether plain objects are refused, so that callers need not check for them. */
    boolean refusesPlain() {
        return refusesPlain;
    }

    /**
     * Decrypts a range.
     *
     * @param stored the stored bytes from {@code storedOffset} on, with all chunks of the range
     */
    static void decrypt(
            DataKey key,
            long sizeBytes,
            byte[] stored,
            long storedOffset,
            long offset,
            byte[] buffer,
            int bufferOffset,
            int length,
            String where) {
        PieceCipher cipher = key.cipher();
        byte[] part = {};
        long lastChunk = EncryptedLayout.chunks(sizeBytes) - 1;
        long end = offset + length;
        long position = offset;
        while (position < end) {
            long chunk = position / EncryptedLayout.CHUNK_BYTES;
            long chunkStart = chunk * EncryptedLayout.CHUNK_BYTES;
            int chunkLength = (int) Math.min(EncryptedLayout.CHUNK_BYTES, sizeBytes - chunkStart);
            int count = (int) (Math.min(end, chunkStart + chunkLength) - position);
            int target = bufferOffset + (int) (position - offset);
            boolean whole = count == chunkLength;
            if (!whole && part.length < chunkLength) {
                part = new byte[chunkLength];
            }
            boolean good =
                    cipher.decrypt(
                            chunk,
                            chunk == lastChunk,
                            NO_CONTEXT,
                            stored,
                            (int) (EncryptedLayout.storedOffset(chunk) - storedOffset),
                            chunkLength + DataKey.TAG_BYTES,
                            whole ? buffer : part,
                            whole ? target : 0);
            if (!good) {
                Arrays.fill(buffer, bufferOffset, bufferOffset + length, (byte) 0);
                throw EncryptedTrailer.mismatch(
                        "chunk %d of %d under its tag".formatted(chunk + 1, lastChunk + 1),
                        "bytes that were changed or are from elsewhere",
                        where,
                        EncryptedLayout.storedOffset(chunk));
            }
            if (!whole) {
                System.arraycopy(part, (int) (position - chunkStart), buffer, target, count);
            }
            position += count;
        }
    }
}
