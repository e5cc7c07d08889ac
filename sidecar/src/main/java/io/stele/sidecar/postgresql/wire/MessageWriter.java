package io.stele.sidecar.postgresql.wire;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A buffered, blocking writer of messages to one PostgreSQL client's connection. It sends the
 * buffer when it is large and at {@link #flush}, where a client that receives nothing blocks the
 * thread. Confined to one thread at a time.
 */
public final class MessageWriter {
    /**
     * The size from which the buffer is sent: a few TCP segments, but small for thousands of
     * connections.
     */
    private static final int SEND_BYTES = 32 << 10;

    private static final int FIRST_BYTES = 4 << 10;
    private static final int MAX_MESSAGE_BYTES = 1 << 30;
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final OutputStream out;
    private byte[] buffer = new byte[FIRST_BYTES];
    private int size;
    private int messageStart; // index of the length field of the begun message
    private boolean isOpen; // whether a message was begun and not ended

    public MessageWriter(OutputStream out) {
        this.out = requireNonNull(out, "out is null");
    }

    /** Begins a message; ended by {@link #end}. */
    public MessageWriter begin(char type) {
        putByte(type);
        messageStart = size;
        isOpen = true;
        return putInt(0);
    }

    /** Ends the message, and sends the buffer if it is large. */
    public void end() throws IOException {
        INTS.set(buffer, messageStart, size - messageStart);
        isOpen = false;
        if (size >= SEND_BYTES) {
            send();
        }
    }

    /** Adds an encoded message. */
    public void putMessage(byte[] message) throws IOException {
        putBytes(message);
        if (size >= SEND_BYTES) {
            send();
        }
    }

    /** Discards a message that was begun and not ended, if there is one. */
    public void discardOpen() {
        if (isOpen) {
            size = messageStart - 1;
            isOpen = false;
        }
    }

    /** Sends a single byte outside of a message, as the reply to a request for TLS. */
    public void raw(char answer) throws IOException {
        putByte(answer);
        flush();
    }

    /** Sends the buffer and flushes the connection. */
    public void flush() throws IOException {
        send();
        out.flush();
    }

    private void send() throws IOException {
        out.write(buffer, 0, size);
        size = 0;
        if (buffer.length > 2 * SEND_BYTES) {
            buffer = new byte[FIRST_BYTES];
        }
    }

    public MessageWriter putByte(int value) {
        reserve(1);
        buffer[size++] = (byte) value;
        return this;
    }

    public MessageWriter putShort(int value) {
        return putByte(value >> 8).putByte(value);
    }

    public MessageWriter putInt(int value) {
        reserve(4);
        INTS.set(buffer, size, value);
        size += 4;
        return this;
    }

    public MessageWriter putLong(long value) {
        reserve(8);
        LONGS.set(buffer, size, value);
        size += 8;
        return this;
    }

    public MessageWriter putBytes(byte[] bytes) {
        return putBytes(bytes, 0, bytes.length);
    }

    public MessageWriter putBytes(byte[] bytes, int offset, int length) {
        reserve(length);
        System.arraycopy(bytes, offset, buffer, size, length);
        size += length;
        return this;
    }

    /** Adds a text and a zero byte; removes zero bytes inside the text, which would end it. */
    public MessageWriter putText(String text) {
        return putBytes(text.replace("\0", "").getBytes(StandardCharsets.UTF_8)).putByte(0);
    }

    /** Begins a value with its length before it; returns the argument for {@link #endValue}. */
    public int beginValue() {
        putInt(0);
        return size;
    }

    public void endValue(int start) {
        INTS.set(buffer, start - 4, size - start);
    }

    /** Adds a text value with its length before it. */
    public MessageWriter putValue(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return putInt(bytes.length).putBytes(bytes);
    }

    public MessageWriter putNull() {
        return putInt(-1);
    }

    private void reserve(int length) {
        long needed = (long) size + length;
        if (needed > buffer.length) {
            if (needed > MAX_MESSAGE_BYTES) {
                throw new PostgresException(
                        SqlState.LIMIT_EXCEEDED,
                        "Expected a message of at most %s bytes, found a longer one"
                                .formatted(MAX_MESSAGE_BYTES));
            }
            buffer = Arrays.copyOf(buffer, (int) Math.max(needed, 2L * buffer.length));
        }
    }
}
