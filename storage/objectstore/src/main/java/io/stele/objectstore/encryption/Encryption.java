package io.stele.objectstore.encryption;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The encryption of the stored objects and log of a process with its master keys; it is off without
 * master keys. It wraps object stores with encryption and creates data keys for logs. Immutable and
 * thread-safe.
 */
public final class Encryption {
    /** No encryption; encrypted objects are refused with the reason. */
    public static final Encryption NONE = new Encryption(Optional.empty());

    /** Bytes of a data key that is encrypted by a master key. */
    public static final int WRAPPED_KEY_BYTES = WrappedKey.BYTES;

    private final Optional<ObjectEncryption> objects;

    private Encryption(Optional<ObjectEncryption> objects) {
        this.objects = objects;
    }

    /**
     * The encryption of a configuration; reads its key file, or runs its command.
     *
     * @param random cryptographic, and safe for many threads
     * @throws IOException with the key of the configuration, if there are no good master keys
     */
    public static Encryption of(EncryptionConfig config, RandomGenerator random)
            throws IOException {
        Optional<MasterKeys> keys = MasterKeySource.read(config);
        if (keys.isEmpty()) {
            return NONE;
        }
        return of(keys.get(), random, config.isRefusePlain());
    }

    /**
     * The encryption with these master keys.
     *
     * @param refusesPlain whether an object that is not encrypted is an error
     */
    public static Encryption of(MasterKeys keys, RandomGenerator random, boolean refusesPlain) {
        requireNonNull(keys, "keys is null");
        return new Encryption(Optional.of(new ObjectEncryption(keys, random, refusesPlain)));
    }

    public boolean isEnabled() {
        return objects.isPresent();
    }

    /**
     * A store that encrypts the objects of the given one. Caches of its bytes are below this layer,
     * so that they never contain plain data.
     */
    public ObjectStore over(ObjectStore store) {
        return objects.isPresent()
                ? new EncryptedObjectStore(store, objects.get())
                : new UnencryptedObjectStore(store);
    }

    /** A new data key, and its stored form of {@link #WRAPPED_KEY_BYTES} bytes. */
    public record NewKey(DataKey key, byte[] wrapped) {}

    /**
     * A new data key; empty if encryption is off.
     *
     * @param context identifies the key's owner: the key can be unwrapped only with the same
     *     context
     */
    public Optional<NewKey> newKey(byte[] context) {
        return objects.map(
                known -> {
                    DataKey key = known.newKey();
                    return new NewKey(key, known.wrap(key, context));
                });
    }

    /**
     * Decrypts a stored data key.
     *
     * @param where it was found, for messages
     * @throws SteleException CORRUPT_DATA if its master key is missing here, or did not wrap it
     *     with this context
     */
    public DataKey unwrap(byte[] wrapped, byte[] context, String where) {
        WrappedKey key = WrappedKey.decode(ByteBuffer.wrap(wrapped));
        return objects.orElseThrow(
                        () ->
                                new SteleException(
                                        ErrorCode.CORRUPT_DATA,
                                        "Expected master key '%s', found none (stele.encryption.*): it encrypts %s"
                                                .formatted(key.keyId(), where),
                                        OtherKeysException.missing()))
                .masterKeys()
                .unwrap(key, context, where);
    }

    /**
     * Called where plain data was found.
     *
     * @throws SteleException CORRUPT_DATA if plain data is refused
     */
    public void checkPlain(String where) {
        objects.ifPresent(known -> known.checkPlain(where));
    }

    /** The fingerprints of the master keys, the one for new objects first. */
    public List<KeyFingerprint> fingerprints() {
        return objects.map(ObjectEncryption::masterKeys)
                .map(MasterKeys::fingerprints)
                .orElse(List.of());
    }

    /**
     * A master key.
     *
     * @param fingerprint 16 hexadecimal digits, which do not reveal the key
     */
    public record KeyFingerprint(String id, String fingerprint) {
        public KeyFingerprint {
            requireNonNull(id, "id is null");
            requireNonNull(fingerprint, "fingerprint is null");
        }
    }
}
