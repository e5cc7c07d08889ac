package io.stele.engine.wal;

import io.stele.objectstore.NumberedName;
import java.util.OptionalLong;

/**
 * The names of the log's epochs and segments: 20 digits, which sort as their numbers, with {@code
 * .wal} for a segment in a file.
 */
final class LogNames {
    private static final String SEGMENT_END = ".wal";

    private LogNames() {}

    static String of(long number) {
        return NumberedName.of(number);
    }

    /** The number of a name; empty if the name is no number. */
    static OptionalLong number(String name) {
        return NumberedName.parse(name);
    }

    static String ofSegment(long segment) {
        return of(segment) + SEGMENT_END;
    }

    /** The segment of a file name; empty if the file is no segment. */
    static OptionalLong segment(String name) {
        return name.endsWith(SEGMENT_END)
                ? number(name.substring(0, name.length() - SEGMENT_END.length()))
                : OptionalLong.empty();
    }
}
