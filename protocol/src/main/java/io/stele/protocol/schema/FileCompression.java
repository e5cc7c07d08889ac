package io.stele.protocol.schema;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Locale;

/** The compression codecs that a table option can select for new files. */
public enum FileCompression {
    /** Fast to write and to read. */
    LZ4,
    /** Smaller, at several times the work of a writer. */
    ZSTD,
    NONE;

    @JsonValue
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The codec of a name; throws INVALID_ARGUMENT if there is none. */
    @JsonCreator
    public static FileCompression parse(String text) {
        for (FileCompression compression : values()) {
            if (compression.text().equals(text.toLowerCase(Locale.ROOT))) {
                return compression;
            }
        }
        throw new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected a compression of 'lz4', 'zstd' or 'none', found '" + text + "'");
    }
}
