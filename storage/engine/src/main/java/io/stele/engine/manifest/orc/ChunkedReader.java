package io.stele.engine.manifest.orc;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ReadTally;
import java.io.EOFException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * An object reader that reads in whole chunks, for many small ranges near each other that are each
 * read once. It holds every chunk that it has read in memory, until its reader forgets a range.
 * Confined to one thread.
 */
final class ChunkedReader implements ObjectReader {
    /** 128 KiB, whose transfer at 1 Gbit/s takes about as long as the wait for the first byte. */
    static final int UNKNOWN_RANGES = 128 << 10;

    /** The maximal bytes of one request, if the ranges are known. */
    static final int REQUEST_BYTES = 8 << 20;

    private final ObjectReader reader;
    private final long sizeBytes;
    private final int chunkBytes;
    private final Map<Long, byte[]> chunks = new HashMap<>();

    /**
     * @param chunkBytes {@link #UNKNOWN_RANGES}, or less if the reader announces its ranges
     */
    ChunkedReader(ObjectReader reader, long sizeBytes, int chunkBytes) {
        this.reader = requireNonNull(reader, "reader is null");
        this.sizeBytes = sizeBytes;
        this.chunkBytes = chunkBytes;
    }

    /** Reads a range in large requests now, since it will be read soon. */
    void prepare(long offset, long length) throws IOException {
        long end = Math.min(sizeBytes, offset + length);
        for (long start = offset; start < end; start += REQUEST_BYTES) {
            fill(start / chunkBytes, endChunk(Math.min(start + REQUEST_BYTES, end)));
        }
    }

    /** Whether a range is in memory. */
    boolean has(long offset, long length) {
        for (long chunk = offset / chunkBytes; chunk < endChunk(offset + length); chunk++) {
            if (!chunks.containsKey(chunk)) {
                return false;
            }
        }
        return true;
    }

    /** The first chunk that begins at or after an offset. */
    private long endChunk(long offset) {
        return (offset + chunkBytes - 1) / chunkBytes;
    }

    /** Frees the chunks of a range that is not read again, except its last one. */
    void forget(long offset, long length) {
        for (long chunk = offset / chunkBytes; chunk < (offset + length) / chunkBytes; chunk++) {
            chunks.remove(chunk);
        }
    }

    @Override
    public void read(long offset, byte[] buffer, int bufferOffset, int length) throws IOException {
        if (offset < 0 || length < 0 || offset + length > sizeBytes) {
            throw new EOFException(
                    "Expected a range within %d bytes, found %d bytes at %d"
                            .formatted(sizeBytes, length, offset));
        }
        fill(offset / chunkBytes, endChunk(offset + length));
        for (int done = 0; done < length; ) {
            long chunk = (offset + done) / chunkBytes;
            int from = (int) ((offset + done) % chunkBytes);
            byte[] content = requireNonNull(chunks.get(chunk), "chunk is null");
            int count = Math.min(length - done, content.length - from);
            System.arraycopy(content, from, buffer, bufferOffset + done, count);
            done += count;
        }
    }

    /** Reads the missing chunks, with one request for each run of them. */
    private void fill(long first, long end) throws IOException {
        for (long chunk = first; chunk < end; ) {
            long runEnd = chunk;
            while (runEnd < end && !chunks.containsKey(runEnd)) {
                runEnd++;
            }
            if (runEnd == chunk) {
                chunk++;
                continue;
            }
            long start = chunk * chunkBytes;
            int length = Math.toIntExact(Math.min(runEnd * chunkBytes, sizeBytes) - start);
            byte[] run = reader.read(start, length);
            for (int at = 0; at < length; at += chunkBytes) {
                int size = Math.min(chunkBytes, length - at);
                byte[] content = new byte[size];
                System.arraycopy(run, at, content, 0, size);
                chunks.put(chunk++, content);
            }
        }
    }

    @Override
    public ReadTally tally() {
        return reader.tally();
    }
}
