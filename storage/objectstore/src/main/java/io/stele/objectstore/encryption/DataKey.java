package io.stele.objectstore.encryption;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.random.RandomGenerator;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * An AES key of 256 bits that encrypts one object, or one segment of a log, piece by piece with
 * GCM. Each piece has a number that no other piece under the key has, and a flag for the last one.
 *
 * <p>Nonces are the pieces' numbers (8 bytes, little-endian), three zeros, and 1 for the last piece
 * or 0: the STREAM construction, in which a piece that is moved, repeated or cut off fails. They
 * need no randomness, because the key is new.
 *
 * <p>Immutable; a {@link PieceCipher} of it is confined to one thread.
 */
public final class DataKey {
    static final int KEY_BYTES = 32;

    /** The bytes that encryption adds to a piece. */
    public static final int TAG_BYTES = 16;

    static final int NONCE_BYTES = 12;

    private final SecretKeySpec key;

    DataKey(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException(
                    "Expected a key of %d bytes, found %d".formatted(KEY_BYTES, key.length));
        }
        this.key = new SecretKeySpec(key, "AES");
    }

    /** A new random key. */
    static DataKey create(RandomGenerator random) {
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        return new DataKey(key);
    }

    byte[] encoded() {
        return key.getEncoded();
    }

    /** Encrypts and decrypts pieces. */
    public PieceCipher cipher() {
        return new PieceCipher(key);
    }

    /** An encryptor and decryptor of pieces under one key; confined to one thread. */
    public static final class PieceCipher {
        private final SecretKeySpec key;
        private final Cipher cipher;
        private final byte[] nonce = new byte[NONCE_BYTES];

        private PieceCipher(SecretKeySpec key) {
            this.key = requireNonNull(key, "key is null");
            this.cipher = gcm();
        }

        /**
         * Encrypts a piece; the tag follows it.
         *
         * @param number of the piece, which no different piece under the key has
         * @param context additional authenticated data: not encrypted, and required again to
         *     decrypt
         * @return the number of bytes written: {@code length} plus {@link #TAG_BYTES}
         */
        public int encrypt(
                long number,
                boolean last,
                byte[] context,
                byte[] from,
                int offset,
                int length,
                byte[] to,
                int toOffset) {
            try {
                init(Cipher.ENCRYPT_MODE, number, last, context);
                return cipher.doFinal(from, offset, length, to, toOffset);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("Every Java runtime has AES/GCM", e);
            }
        }

        /**
         * Decrypts a piece and its tag.
         *
         * @return false if the piece was not encrypted under this key, number and context; the
         *     content of {@code to} is then undefined
         */
        public boolean decrypt(
                long number,
                boolean last,
                byte[] context,
                byte[] from,
                int offset,
                int length,
                byte[] to,
                int toOffset) {
            try {
                init(Cipher.DECRYPT_MODE, number, last, context);
                cipher.doFinal(from, offset, length, to, toOffset);
                return true;
            } catch (AEADBadTagException e) {
                return false;
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("Every Java runtime has AES/GCM", e);
            }
        }

        private void init(int mode, long number, boolean last, byte[] context)
                throws GeneralSecurityException {
            ByteBuffer.wrap(nonce)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(number)
                    .putInt(last ? 1 << 24 : 0);
            cipher.init(mode, key, new GCMParameterSpec(8 * TAG_BYTES, nonce));
            if (context.length > 0) {
                cipher.updateAAD(context);
            }
        }
    }

    static Cipher gcm() {
        try {
            return Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has AES/GCM", e);
        }
    }
}
