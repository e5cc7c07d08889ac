package io.stele.protocol.flight;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An encoder of the fields of protobuf messages of Flight; default values are omitted, as in
 * proto3. Confined to one thread.
 */
final class ProtoWriter {
    private byte[] buffer = new byte[128];
    private int position;

    ProtoWriter integer(int field, long value) {
        if (value != 0) {
            varint((long) field << 3);
            varint(value);
        }
        return this;
    }

    ProtoWriter text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    ProtoWriter bytes(int field, byte[] value) {
        return bytes(field, ByteBuffer.wrap(value));
    }

    ProtoWriter bytes(int field, ByteBuffer value) {
        return value.hasRemaining() ? message(field, value) : this;
    }

    /** Writes a field even if it is empty: messages and elements of lists. */
    ProtoWriter message(int field, byte[] value) {
        return message(field, ByteBuffer.wrap(value));
    }

    private ProtoWriter message(int field, ByteBuffer value) {
        head(field, value.remaining());
        int length = value.remaining();
        ensure(length);
        value.get(value.position(), buffer, position, length);
        position += length;
        return this;
    }

    /** Writes tag and length of a field whose bytes the caller writes itself. */
    ProtoWriter head(int field, int length) {
        varint((long) field << 3 | 2);
        varint(length);
        return this;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(buffer, position);
    }

    private void varint(long value) {
        ensure(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            buffer[position++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[position++] = (byte) rest;
    }

    private void ensure(int additional) {
        int needed = Math.addExact(position, additional);
        if (needed > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(needed, 2 * buffer.length));
        }
    }
}
