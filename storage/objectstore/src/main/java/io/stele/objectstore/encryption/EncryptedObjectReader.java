package io.stele.objectstore.encryption;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ReadTally;
import io.stele.objectstore.encryption.DataKeyCache.Known;
import java.io.EOFException;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A reader of an encrypted object that fetches and decrypts whole chunks. The key of the object is
 * in the trailer at its end. A first read near the end includes the trailer, so files, which are
 * read from their ends, cost no additional request. Thread-safe.
 */
final class EncryptedObjectReader implements ObjectReader {
    /** A first read that begins so near to the end of the object reads up to the end. */
    private static final int READ_TO_END_BYTES = 256 << 10;

    /**
     * Stores without a network are read in pieces of this size: 1 MiB stays in the processor's
     * cache.
     */
    private static final int LOCAL_PIECE_BYTES = 32 * EncryptedLayout.CHUNK_BYTES;

    private final ObjectStore store;
    private final ObjectEncryption encryption;
    private final DataKeyCache dataKeys;
    private final String path;
    private final long sizeBytes;
    private final long storedBytes;
    private final ObjectReader stored;
    private volatile @Nullable Known known;
    private volatile @Nullable ObjectReader plain;

    /**
     * @param sizeBytes of the object before encryption
     */
    EncryptedObjectReader(
            ObjectStore store,
            ObjectEncryption encryption,
            DataKeyCache dataKeys,
            String path,
            long sizeBytes)
            throws IOException {
        this(
                store,
                encryption,
                dataKeys,
                path,
                sizeBytes,
                store.open(path, EncryptedLayout.storedBytes(sizeBytes)));
    }

    private EncryptedObjectReader(
            ObjectStore store,
            ObjectEncryption encryption,
            DataKeyCache dataKeys,
            String path,
            long sizeBytes,
            ObjectReader stored) {
        this.store = requireNonNull(store, "store is null");
        this.encryption = requireNonNull(encryption, "encryption is null");
        this.dataKeys = requireNonNull(dataKeys, "dataKeys is null");
        this.path = requireNonNull(path, "path is null");
        this.sizeBytes = sizeBytes;
        this.storedBytes = EncryptedLayout.storedBytes(sizeBytes);
        this.stored = requireNonNull(stored, "stored is null");
        dataKeys.find(path, sizeBytes).ifPresent(found -> known = found);
    }

    @Override
    public void read(long offset, byte[] buffer, int bufferOffset, int length) throws IOException {
        Objects.checkFromIndexSize(bufferOffset, length, buffer.length);
        if (offset < 0 || offset > sizeBytes - length) {
            throw new EOFException(
                    "Expected %d bytes at offset %d, found the end of %s at %d"
                            .formatted(length, offset, store.describe(path), sizeBytes));
        }
        if (length == 0) {
            return;
        }
        Known found = known;
        long start = storedStart(offset);
        if (found == null) {
            if (storedBytes - start <= READ_TO_END_BYTES) {
                readToEnd(start, offset, buffer, bufferOffset, length);
                return;
            }
            found = readTrailer();
        }
        readKnown(found, offset, buffer, bufferOffset, length);
    }

    /**
     * Reads of plain objects are passed on: the objects are older than the encryption of their
     * warehouse.
     */
    @Override
    public ObjectReader admittingOnSecondAccess() {
        return new EncryptedObjectReader(
                store, encryption, dataKeys, path, sizeBytes, stored.admittingOnSecondAccess());
    }

    private void readKnown(Known object, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        DataKey key = object.key();
        if (key == null) {
            plain().read(offset, buffer, bufferOffset, length);
            return;
        }
        int most = store.isRemote() ? length : LOCAL_PIECE_BYTES;
        long position = offset;
        long end = offset + length;
        while (position < end) {
            // Up to the end of a chunk, so that none is read twice
            long pieceEnd =
                    Math.min(
                            end,
                            (position + most)
                                    / EncryptedLayout.CHUNK_BYTES
                                    * EncryptedLayout.CHUNK_BYTES);
            pieceEnd = pieceEnd <= position || end - position <= most ? end : pieceEnd;
            int count = (int) (pieceEnd - position);
            readPiece(key, position, buffer, bufferOffset + (int) (position - offset), count);
            position = pieceEnd;
        }
    }

    private void readPiece(DataKey key, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        long start = storedStart(offset);
        byte[] bytes = stored.read(start, Math.toIntExact(storedEnd(offset + length) - start));
        decrypt(key, bytes, start, offset, buffer, bufferOffset, length);
    }

    private void decrypt(
            DataKey key,
            byte[] bytes,
            long storedOffset,
            long offset,
            byte[] buffer,
            int bufferOffset,
            int length) {
        ObjectEncryption.decrypt(
                key,
                sizeBytes,
                bytes,
                storedOffset,
                offset,
                buffer,
                bufferOffset,
                length,
                store.describe(path));
    }

    private static long storedStart(long offset) {
        return EncryptedLayout.storedOffset(offset / EncryptedLayout.CHUNK_BYTES);
    }

    private long storedEnd(long end) {
        return EncryptedLayout.storedEnd((end - 1) / EncryptedLayout.CHUNK_BYTES, sizeBytes);
    }

    private void readToEnd(long start, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        byte[] bytes;
        try {
            bytes = stored.read(start, (int) (storedBytes - start));
        } catch (EOFException e) {
            readKnown(notEncrypted(), offset, buffer, bufferOffset, length);
            return;
        }
        DataKey key = key(bytes, bytes.length - EncryptedTrailer.BYTES);
        decrypt(key, bytes, start, offset, buffer, bufferOffset, length);
    }

    private Known readTrailer() throws IOException {
        byte[] trailer;
        try {
            trailer = stored.read(storedBytes - EncryptedTrailer.BYTES, EncryptedTrailer.BYTES);
        } catch (EOFException e) {
            return notEncrypted();
        }
        return new Known(sizeBytes, key(trailer, 0));
    }

    private DataKey key(byte[] bytes, int offset) {
        DataKey key =
                EncryptedTrailer.decode(
                        encryption.masterKeys(),
                        bytes,
                        offset,
                        path,
                        sizeBytes,
                        store.describe(path));
        cache(new Known(sizeBytes, key));
        return key;
    }

    private Known cache(Known found) {
        known = found;
        dataKeys.add(path, found);
        return found;
    }

    /** The object is too short: it is plain, or was cut. */
    private Known notEncrypted() throws IOException {
        long found = store.size(path);
        int length = EncryptedTrailer.MAGIC.length;
        if (found != sizeBytes
                || (found >= length && EncryptedTrailer.isMagic(store.read(path, 0, length), 0))) {
            throw EncryptedTrailer.mismatch(
                    "an object of %d bytes, encrypted %d".formatted(sizeBytes, storedBytes),
                    Long.toString(found),
                    store.describe(path),
                    found);
        }
        encryption.checkPlain(store.describe(path) + " at offset 0");
        return cache(new Known(sizeBytes, null));
    }

    private ObjectReader plain() throws IOException {
        ObjectReader reader = plain;
        if (reader == null) {
            reader = store.open(path, sizeBytes);
            plain = reader;
        }
        return reader;
    }

    @Override
    public boolean isPrefetching() {
        return stored.isPrefetching();
    }

    @Override
    public CompletableFuture<Long> prefetch(long offset, long length) {
        long end = Math.min(offset + length, sizeBytes);
        if (offset < 0 || end <= offset) {
            return CompletableFuture.completedFuture(0L);
        }
        ObjectReader asPlain = plain;
        if (asPlain != null) {
            return asPlain.prefetch(offset, length);
        }
        long start = storedStart(offset);
        // With the trailer, if it is next
        long storedEnd = end == sizeBytes ? storedBytes : storedEnd(end);
        return stored.prefetch(start, storedEnd - start);
    }

    @Override
    public ReadTally tally() {
        ObjectReader asPlain = plain;
        return asPlain == null ? stored.tally() : stored.tally().plus(asPlain.tally());
    }
}
