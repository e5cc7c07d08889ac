package io.stele.sidecar.postgresql.wire;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.engine.ArrivalPace;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A blocking reader of one PostgreSQL client's messages from its connection, with limits on their
 * size and on shared memory. A message above the limit is refused before memory is allocated, and
 * memory grows with the bytes that have arrived. Confined to one thread.
 */
public final class MessageReader implements AutoCloseable {
    private static final int FIRST_BYTES = 64 << 10;
    private static final int LENGTH_BYTES = 4;

    private static final int KIB = 1 << 10;
    private static final int MAX_WAIT_SECONDS = 30;

    private final InputStream in;
    private final Semaphore pending;
    private final ArrivalPace pace;
    private int takenKib; // KiB that the last message holds

    /**
     * @param in should be buffered, because many messages are short, and must support marks
     * @param pending permits in KiB for messages above 64 KiB, shared by all clients. Such a
     *     message waits for permits, and holds them until the next message is read
     * @param pace of the messages that hold permits
     */
    public MessageReader(InputStream in, Semaphore pending, ArrivalPace pace) {
        this.in = requireNonNull(in, "in is null");
        this.pending = requireNonNull(pending, "pending is null");
        this.pace = requireNonNull(pace, "pace is null");
    }

    /**
     * Reads the first message of a client, which has no type; null at the end of the stream.
     *
     * @throws PostgresException PROTOCOL_VIOLATION if it is longer than {@code maxBytes}
     */
    public @Nullable Message readStartup(int maxBytes) throws IOException {
        int first = in.read();
        return first < 0 ? null : read(Message.STARTUP, first, maxBytes);
    }

    /** Reads the next message; null at the end of the stream. */
    public @Nullable Message read(int maxBytes) throws IOException {
        close();
        int type = in.read();
        if (type < 0) {
            return null;
        }
        int first = in.read();
        if (first < 0) {
            throw new EOFException("The stream ended in the length of a message");
        }
        return read((char) type, first, maxBytes);
    }

    /** Whether the next message has begun to arrive, and has this type. */
    public boolean isNext(char type) throws IOException {
        if (in.available() == 0) {
            return false;
        }
        in.mark(1);
        int next = in.read();
        in.reset();
        return next == type;
    }

    /** Whether further bytes have arrived. */
    public boolean hasMore() throws IOException {
        return in.available() > 0;
    }

    private Message read(char type, int firstOfLength, int maxBytes) throws IOException {
        long length = firstOfLength;
        for (int i = 1; i < LENGTH_BYTES; i++) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("The stream ended in the length of a message");
            }
            length = length << 8 | next;
        }
        if (length < LENGTH_BYTES || length - LENGTH_BYTES > maxBytes) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected a message of %s to %s bytes, found one of %s"
                            .formatted(LENGTH_BYTES, maxBytes + LENGTH_BYTES, length));
        }
        int payloadBytes = (int) length - LENGTH_BYTES;
        if (payloadBytes <= FIRST_BYTES) {
            return new Message(type, payload(payloadBytes));
        }
        take(payloadBytes);
        pace.begin();
        try {
            return new Message(type, payload(payloadBytes));
        } finally {
            pace.end();
        }
    }

    private void take(int length) throws IOException {
        int kib = (length + KIB - 1) / KIB;
        try {
            if (!pending.tryAcquire(kib, MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw new PostgresException(
                        SqlState.OUT_OF_MEMORY,
                        "Expected room for a message of %s bytes within %s s, found none (stele.postgresql.max-pending-size)"
                                .formatted(length, MAX_WAIT_SECONDS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while a message waits for memory");
        }
        takenKib = kib;
    }

    /** Releases the permits of the last message. */
    @Override
    public void close() {
        pending.release(takenKib);
        takenKib = 0;
    }

    private byte[] payload(int length) throws IOException {
        byte[] bytes = new byte[Math.min(length, FIRST_BYTES)];
        int read = 0;
        while (true) {
            int count = in.readNBytes(bytes, read, bytes.length - read);
            read += count;
            if (read < bytes.length) {
                throw new EOFException("The stream ended in a message");
            }
            if (read == length) {
                return bytes;
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * read));
        }
    }
}
