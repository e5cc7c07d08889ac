package io.stele.columnfile.index;

/**
 * The compression codecs of the payload of a block. The codes are on disk and never change meaning.
 */
public enum Compression {
    NONE(0),
    LZ4(1),
    ZSTD(2),
    /** Of entry blocks of key indexes; others, and those it does not suit, are stored as LZ4. */
    PACKED(3);

    private final int code;

    Compression(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
