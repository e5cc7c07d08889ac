package io.stele.objectstore.encryption;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.objectstore.encryption.Encryption.KeyFingerprint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The master keys of a process, which encrypt (wrap) the data keys of objects and log segments. The
 * first master key wraps all new data keys; the other master keys are for reading older objects. No
 * message contains a key. Safe for use by many threads.
 */
public final class MasterKeys {
    private static final byte[] FINGERPRINT_OF = "stele master key".getBytes(UTF_8);
    private static final int FINGERPRINT_BYTES = 8;

    private final List<String> ids; // the one that encrypts first
    private final Map<String, SecretKeySpec> keys;
    private final Set<String> proven = ConcurrentHashMap.newKeySet(); // ids of keys that fitted

    private MasterKeys(Map<String, SecretKeySpec> keys) {
        this.ids = List.copyOf(keys.keySet());
        this.keys = Map.copyOf(keys);
    }

    /**
     * Parses entries {@code id:base64}, one for each key, the encrypting key first.
     *
     * @param where the entries are from, for messages
     * @throws IllegalArgumentException if there is no key, or a key that is not 32 bytes; the
     *     message never contains a part of a key
     */
    public static MasterKeys parse(Collection<String> entries, String where) {
        Map<String, SecretKeySpec> keys = new LinkedHashMap<>();
        for (String entry : entries) {
            int colon = entry.indexOf(':');
            String id = colon < 0 ? "" : entry.substring(0, colon).strip();
            if (!WrappedKey.isId(id)) {
                throw invalid(
                        where,
                        "<id>:<base64>, with an id of 1 to 31 letters, digits, '.', '_' or '-'",
                        "something else for key " + (keys.size() + 1));
            }
            SecretKeySpec key = key(entry.substring(colon + 1).strip(), id, where);
            if (keys.put(id, key) != null) {
                throw invalid(where, "each id once", "'" + id + "' again");
            }
        }
        if (keys.isEmpty()) {
            throw invalid(where, "at least one key, <id>:<base64>", "none");
        }
        return new MasterKeys(keys);
    }

    private static SecretKeySpec key(String base64, String id, String where) {
        byte[] key;
        try {
            key = Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw invalid(where, "base64 after '" + id + ":'", "something else");
        }
        if (key.length != DataKey.KEY_BYTES) {
            throw invalid(
                    where,
                    DataKey.KEY_BYTES + " bytes (openssl rand -base64 32) for key '" + id + "'",
                    Integer.toString(key.length));
        }
        return new SecretKeySpec(key, "AES");
    }

    private static IllegalArgumentException invalid(String where, String expected, String found) {
        return new IllegalArgumentException(
                "%s: expected %s, found %s".formatted(where, expected, found));
    }

    /** The id of the key that encrypts. */
    public String firstId() {
        return ids.getFirst();
    }

    /** The fingerprints by which two processes compare their keys; the encrypting key's first. */
    List<KeyFingerprint> fingerprints() {
        return ids.stream().map(id -> new KeyFingerprint(id, fingerprint(key(id)))).toList();
    }

    private SecretKeySpec key(String id) {
        return requireNonNull(keys.get(id), id);
    }

    private static String fingerprint(SecretKeySpec key) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(FINGERPRINT_OF), 0, FINGERPRINT_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has HmacSHA256", e);
        }
    }

    /**
     * @param context identifies the key's owner: the key can be unwrapped only with the same
     *     context
     */
    WrappedKey wrap(DataKey key, byte[] context, RandomGenerator random) {
        byte[] nonce = new byte[DataKey.NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] encrypted =
                    cipher(Cipher.ENCRYPT_MODE, firstId(), nonce, context).doFinal(key.encoded());
            return new WrappedKey(firstId(), nonce, encrypted);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has AES/GCM", e);
        }
    }

    /**
     * @param where the key was found, for messages
     * @throws SteleException CORRUPT_DATA if there is no master key of its id, or that key did not
     *     wrap it with this context
     */
    DataKey unwrap(WrappedKey wrapped, byte[] context, String where) {
        if (!keys.containsKey(wrapped.keyId())) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected master key '%s', found only %s (stele.encryption.*): it encrypts %s"
                            .formatted(wrapped.keyId(), ids, where),
                    OtherKeysException.missing());
        }
        try {
            byte[] key =
                    cipher(Cipher.DECRYPT_MODE, wrapped.keyId(), wrapped.nonce(), context)
                            .doFinal(wrapped.encrypted());
            proven.add(wrapped.keyId());
            return new DataKey(key);
        } catch (AEADBadTagException e) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected a data key of this place, encrypted by master key '%s', found another: "
                                    .formatted(wrapped.keyId())
                            + "this '%s' is not the one that it was written with, or the bytes were changed or are from elsewhere: %s"
                                    .formatted(wrapped.keyId(), where),
                    OtherKeysException.wrong(() -> proven.contains(wrapped.keyId()), e));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has AES/GCM", e);
        }
    }

    private Cipher cipher(int mode, String keyId, byte[] nonce, byte[] context)
            throws GeneralSecurityException {
        Cipher cipher = DataKey.gcm();
        cipher.init(mode, key(keyId), new GCMParameterSpec(8 * DataKey.TAG_BYTES, nonce));
        cipher.updateAAD(WrappedKey.idBytes(keyId));
        cipher.updateAAD(context);
        return cipher;
    }
}
