package io.stele.engine.wal;

import io.stele.objectstore.NumberedName;
import java.util.OptionalLong;

/** Names that sort as their numbers do: 20 digits, and those of segments in files {@code .wal}. */
final class LogNames {
    private static final String SEGMENT_END = ".wal";

    private LogNames() {}

    static String of(long number) {
        return NumberedName.of(number);
    }

    /** The number of a name; empty if it is none. */
    static OptionalLong number(String name) {
        return NumberedName.parse(name);
    }

    static String ofSegment(long segment) {
        return of(segment) + SEGMENT_END;
    }

    /** The segment of a file name; empty if it is none. */
    static OptionalLong segment(String name) {
        return name.endsWith(SEGMENT_END)
                ? number(name.substring(0, name.length() - SEGMENT_END.length()))
                : OptionalLong.empty();
    }
}
