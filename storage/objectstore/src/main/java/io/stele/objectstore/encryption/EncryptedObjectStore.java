package io.stele.objectstore.encryption;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectPath;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * An object store that encrypts the objects of another store. Its requests and results are plain,
 * lengths included. The other store, and a cache in it, only ever see encrypted bytes, but they see
 * the paths and the approximate lengths. Plain objects from before encryption are read as they are,
 * unless the configuration refuses them. See docs/decisions/encryption.md.
 *
 * <p>The sizes in a listing are computed from the stored lengths, as if all objects were encrypted:
 * those of plain objects are too small. Nothing depends on them; {@link #size} inspects the object.
 *
 * <p>Errors: CORRUPT_DATA if an object was changed, cut or moved, or if its master key is not
 * present. Thread-safe.
 */
final class EncryptedObjectStore extends ForwardingObjectStore {
    /** Reads of an object that is replaced while its parts are read, before the call fails. */
    private static final int MAX_ATTEMPTS = 3;

    private final ObjectEncryption encryption;
    private final DataKeyCache dataKeys;

    EncryptedObjectStore(ObjectStore store, ObjectEncryption encryption) {
        this(store, encryption, new DataKeyCache());
    }

    private EncryptedObjectStore(
            ObjectStore store, ObjectEncryption encryption, DataKeyCache dataKeys) {
        super(store);
        this.encryption = requireNonNull(encryption, "encryption is null");
        this.dataKeys = dataKeys;
    }

    @Override
    public ObjectReader open(String path, long sizeBytes) throws IOException {
        return new EncryptedObjectReader(delegate(), encryption, dataKeys, path, sizeBytes);
    }

    /**
     * Reads by several requests. Each may find another version of an object that is being replaced;
     * then chunks do not match the key, and the object is read again.
     */
    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            long before = delegate().size(path);
            try {
                new EncryptedObjectReader(
                                delegate(),
                                encryption,
                                new DataKeyCache(),
                                path,
                                sizeOf(path, before))
                        .read(offset, buffer, bufferOffset, length);
                return;
            } catch (SteleException e) {
                if (attempt == MAX_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        return encryption.decrypt(path, delegate().readFully(path), describe(path));
    }

    @Override
    public long size(String path) throws IOException {
        return sizeOf(path, delegate().size(path));
    }

    /** The length of an object; if it may be plain, its first bytes are read. */
    private long sizeOf(String path, long storedBytes) throws IOException {
        if (storedBytes < EncryptedLayout.storedBytes(0)) {
            return encryptedMagic(path, storedBytes)
                    ? ObjectEncryption.sizeOf(storedBytes, describe(path))
                    : plainSize(path, storedBytes);
        }
        if (encryption.refusesPlain() || encryptedMagic(path, storedBytes)) {
            return ObjectEncryption.sizeOf(storedBytes, describe(path));
        }
        return plainSize(path, storedBytes);
    }

    private long plainSize(String path, long storedBytes) {
        encryption.checkPlain(describe(path) + " at offset 0");
        return storedBytes;
    }

    private boolean encryptedMagic(String path, long storedBytes) throws IOException {
        int length = EncryptedTrailer.MAGIC.length;
        return storedBytes >= length
                && EncryptedTrailer.isMagic(delegate().read(path, 0, length), 0);
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        return delegate().createIfAbsent(path, encryption.encrypt(path, content));
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        dataKeys.remove(path);
        delegate().put(path, encryption.encrypt(path, content));
    }

    /**
     * Compares the decrypted content, and swaps on the stored bytes that were compared: no two
     * encryptions have the same bytes.
     */
    @Override
    public boolean compareAndSwap(String path, byte[] expected, byte[] content) throws IOException {
        if (!supportsCompareAndSwap()) {
            return super.compareAndSwap(path, expected, content); // throws with the reason
        }
        byte[] stored;
        try {
            stored = delegate().readFully(path);
        } catch (NoSuchFileException e) {
            return false;
        }
        return Arrays.equals(encryption.decrypt(path, stored, describe(path)), expected)
                && delegate().compareAndSwap(path, stored, encryption.encrypt(path, content));
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        ObjectWriter writer = delegate().create(ObjectPath.check(path));
        return new EncryptedObjectWriter(writer, encryption, dataKeys, path, describe(path));
    }

    @Override
    public ObjectStore replacing(List<ObjectEntry> replaced) {
        List<ObjectEntry> stored = new ArrayList<>(replaced.size());
        for (ObjectEntry entry : replaced) {
            stored.add(
                    new ObjectEntry(entry.path(), EncryptedLayout.storedBytes(entry.sizeBytes())));
        }
        return new EncryptedObjectStore(delegate().replacing(stored), encryption, dataKeys);
    }

    @Override
    public ObjectStore admittingOnSecondAccess() {
        return new EncryptedObjectStore(delegate().admittingOnSecondAccess(), encryption, dataKeys);
    }

    @Override
    public void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException {
        delegate()
                .forEach(
                        prefix,
                        entry -> {
                            long sizeBytes =
                                    EncryptedLayout.sizeBytes(entry.sizeBytes())
                                            .orElse(entry.sizeBytes());
                            action.accept(
                                    new ObjectEntry(entry.path(), sizeBytes, entry.modified()));
                        });
    }

    @Override
    public void delete(String path) throws IOException {
        dataKeys.remove(path);
        delegate().delete(path);
    }
}
