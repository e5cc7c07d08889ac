package io.stele.columnfile.orc.write;

import org.apache.orc.CompressionKind;

/**
 * The compression codecs for the streams of a column file. Every ORC reader supports all of them.
 */
public enum OrcCompression {
    NONE(CompressionKind.NONE),
    /** Fastest to decode. */
    LZ4(CompressionKind.LZ4),
    /** Smallest. */
    ZSTD(CompressionKind.ZSTD);

    private final CompressionKind kind;

    OrcCompression(CompressionKind kind) {
        this.kind = kind;
    }

    CompressionKind kind() {
        return kind;
    }
}
