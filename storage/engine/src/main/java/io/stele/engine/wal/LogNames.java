package io.stele.engine.wal;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Names that sort as their numbers do: 20 digits, and those of segments in files {@code .wal}. */
final class LogNames {
    private static final Pattern NUMBER = Pattern.compile("\\d{20}");
    private static final String SEGMENT_END = ".wal";

    private LogNames() {}

    static String of(long number) {
        return String.format(Locale.ROOT, "%020d", number);
    }

    /** The number of a name; empty if it is none. */
    static OptionalLong number(String name) {
        return NUMBER.matcher(name).matches()
                ? OptionalLong.of(Long.parseLong(name))
                : OptionalLong.empty();
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
