package io.stele.sidecar.postgresql.session;

import java.util.List;

/** The formats of values in Bind: none means text, one is that of all values. */
final class Formats {
    static final int TEXT = 0;
    static final int BINARY = 1;

    private Formats() {}

    static int of(List<Integer> formats, int value) {
        if (formats.isEmpty()) {
            return TEXT;
        }
        int index = formats.size() == 1 ? 0 : value;
        return index < formats.size() ? formats.get(index) : TEXT;
    }
}
