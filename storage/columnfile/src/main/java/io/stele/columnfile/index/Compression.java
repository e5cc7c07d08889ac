package io.stele.columnfile.index;

/**
 * The compression codecs for the payloads of block file blocks. The codes are on disk and never
 * change meaning.
 */
public enum Compression {
    NONE(0),
    LZ4(1),
    ZSTD(2),
    /**
     * The form of {@code PackedEntries}, for entry blocks of key indexes. Other blocks, and entry
     * blocks that it does not suit, are stored as LZ4.
     */
    PACKED(3);

    private final int code;

    Compression(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
