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
 * A writer of messages to one client. Messages are gathered in a buffer, which is sent when it is
 * large and at {@link #flush}; a client that takes nothing blocks the thread then. Confined to one
 * thread at a time.
 */
public final class MessageWriter {
    /** 32 KiB: a few TCP segments at a time, small for thousands of connections. */
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
    private int messageStart; // of the length of the message that was begun
    private boolean isOpen; // a message was begun and not ended

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

    /** Ends the message, and sends what is gathered if it is much. */
    public void end() throws IOException {
        INTS.set(buffer, messageStart, size - messageStart);
        isOpen = false;
        if (size >= SEND_BYTES) {
            send();
        }
    }

    /** Adds a whole message. */
    public void putMessage(byte[] message) throws IOException {
        putBytes(message);
        if (size >= SEND_BYTES) {
            send();
        }
    }

    /** Takes a message back that was begun and not ended, if there is one. */
    public void discardOpen() {
        if (isOpen) {
            size = messageStart - 1;
            isOpen = false;
        }
    }

    /** A single byte without a message around it: the answer to a request for TLS. */
    public void raw(char answer) throws IOException {
        putByte(answer);
        flush();
    }

    /** Sends all that is gathered. */
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

    /** A text and a zero byte. A zero byte inside would end it, so it is left out. */
    public MessageWriter putText(String text) {
        return putBytes(text.replace("\0", "").getBytes(StandardCharsets.UTF_8)).putByte(0);
    }

    /** Begins a value whose length comes before it; returns what {@link #endValue} takes. */
    public int beginValue() {
        putInt(0);
        return size;
    }

    public void endValue(int start) {
        INTS.set(buffer, start - 4, size - start);
    }

    /** A value of text with its length before it. */
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
