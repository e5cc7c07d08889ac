package io.stele.engine;

import java.util.zip.CRC32C;

/** A running hash of what happened, in its order; not safe against anybody who means harm. */
final class TraceHash {
    private long value = 1125899906842597L;

    void add(long number) {
        value = (value ^ number) * 0x9E3779B97F4A7C15L;
        value ^= value >>> 29;
    }

    void add(String text) {
        for (int i = 0; i < text.length(); i++) {
            add(text.charAt(i));
        }
    }

    void add(byte[] bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        add(bytes.length);
        add(checksum.getValue());
    }

    long value() {
        return value;
    }
}
