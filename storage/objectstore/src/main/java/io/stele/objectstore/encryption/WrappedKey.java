package io.stele.objectstore.encryption;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * The stored form of a data key, encrypted by a master key, and its codec.
 *
 * <pre>
 * wrapped key = length of the id 1 | id 31, then zeros | nonce 12 | AES-GCM of the 32 bytes of the key, with its tag 48
 * </pre>
 *
 * <p>The additional data of GCM are the 32 bytes of the id, and the context from the caller of
 * {@link MasterKeys}.
 *
 * @param keyId of the master key
 * @param nonce 12 bytes
 * @param encrypted 48 bytes
 */
record WrappedKey(String keyId, byte[] nonce, byte[] encrypted) {
    static final int BYTES = 92;
    static final int MAX_ID_LENGTH = 31;
    static final int ENCRYPTED_BYTES = DataKey.KEY_BYTES + DataKey.TAG_BYTES;

    private static final int ID_BYTES = 1 + MAX_ID_LENGTH;
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,31}");

    WrappedKey {
        requireNonNull(keyId, "keyId is null");
    }

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /** The id as it is stored. */
    static byte[] idBytes(String keyId) {
        byte[] id = keyId.getBytes(UTF_8);
        return ByteBuffer.allocate(ID_BYTES).put((byte) id.length).put(id).array();
    }

    void encode(ByteBuffer target) {
        target.put(idBytes(keyId)).put(nonce).put(encrypted);
    }

    /** The next {@link #BYTES} of {@code source}, whose checksum is right. */
    static WrappedKey decode(ByteBuffer source) {
        int length = Math.clamp(source.get(), 0, MAX_ID_LENGTH);
        byte[] id = new byte[MAX_ID_LENGTH];
        source.get(id);
        byte[] nonce = new byte[DataKey.NONCE_BYTES];
        source.get(nonce);
        byte[] encrypted = new byte[ENCRYPTED_BYTES];
        source.get(encrypted);
        return new WrappedKey(new String(id, 0, length, UTF_8), nonce, encrypted);
    }
}
