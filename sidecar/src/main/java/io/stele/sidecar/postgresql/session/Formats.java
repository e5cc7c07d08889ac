package io.stele.sidecar.postgresql.session;

import java.util.List;

/**
 * The choice of a value's format from the format codes of a Bind message. No code means text; a
 * single code applies to all values. Stateless.
 */
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
