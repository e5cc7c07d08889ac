package io.stele.objectstore.encryption;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.TrackedObjectWriter;
import io.stele.objectstore.encryption.DataKey.PieceCipher;
import io.stele.objectstore.encryption.DataKeyCache.Known;
import java.io.IOException;

/**
 * A writer that encrypts an object while it is written: each chunk as soon as it is known whether
 * it is the last one. Confined to one thread at a time.
 */
final class EncryptedObjectWriter extends TrackedObjectWriter {
    private final ObjectWriter stored;
    private final ObjectEncryption encryption;
    private final DataKeyCache dataKeys;
    private final String path;
    private final DataKey key;
    private final PieceCipher cipher;
    private final byte[] chunk = new byte[EncryptedLayout.CHUNK_BYTES];
    private final byte[] encrypted = new byte[EncryptedLayout.STORED_CHUNK_BYTES];
    private int filled;
    private long chunks;

    EncryptedObjectWriter(
            ObjectWriter writer,
            ObjectEncryption encryption,
            DataKeyCache dataKeys,
            String path,
            String where) {
        super(where);
        this.stored = requireNonNull(writer, "writer is null");
        this.encryption = requireNonNull(encryption, "encryption is null");
        this.dataKeys = requireNonNull(dataKeys, "dataKeys is null");
        this.path = requireNonNull(path, "path is null");
        this.key = encryption.newKey();
        this.cipher = key.cipher();
    }

    @Override
    protected void append(byte[] bytes, int offset, int length) throws IOException {
        int from = offset;
        int end = offset + length;
        while (from < end) {
            if (filled == chunk.length) {
                writeChunk(chunk, 0, filled, false);
                filled = 0;
            }
            if (filled == 0 && end - from > chunk.length) {
                writeChunk(bytes, from, chunk.length, false);
                from += chunk.length;
            } else {
                int count = Math.min(end - from, chunk.length - filled);
                System.arraycopy(bytes, from, chunk, filled, count);
                filled += count;
                from += count;
            }
        }
    }

    private void writeChunk(byte[] bytes, int offset, int length, boolean last) throws IOException {
        begin();
        int count =
                cipher.encrypt(
                        chunks,
                        last,
                        ObjectEncryption.NO_CONTEXT,
                        bytes,
                        offset,
                        length,
                        encrypted,
                        0);
        chunks++;
        stored.write(encrypted, 0, count);
    }

    private void begin() throws IOException {
        if (chunks == 0) {
            stored.write(EncryptedTrailer.MAGIC, 0, EncryptedTrailer.MAGIC.length);
        }
    }

    @Override
    public void commit() throws IOException {
        checkOpen();
        end();
        if (filled > 0) {
            writeChunk(chunk, 0, filled, true);
        }
        begin();
        byte[] trailer = encryption.trailer(key, path, position());
        stored.write(trailer, 0, trailer.length);
        stored.commit();
        dataKeys.add(path, new Known(position(), key));
    }

    @Override
    public void close() throws IOException {
        end();
        stored.close();
    }
}
