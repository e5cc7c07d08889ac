package io.stele.storage.orc;

import org.apache.orc.CompressionKind;

/** How the streams of a column file are compressed; every ORC reader knows all of them. */
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
