package io.stele.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of the keys of a scan: values of the first columns of the primary key.
 *
 * @param prefix with which all keys begin
 * @param from at which the keys begin; it begins with the prefix
 * @param before the keys are before these; empty: up to the last one with the prefix
 */
record KeyBounds(
        List<@Nullable Object> prefix, List<@Nullable Object> from, List<@Nullable Object> before) {
    KeyBounds {
        prefix = copyOf(prefix);
        from = copyOf(from);
        before = copyOf(before);
    }

    private static List<@Nullable Object> copyOf(List<? extends @Nullable Object> values) {
        return Collections.unmodifiableList(new ArrayList<@Nullable Object>(values)); // with nulls
    }

    /** The keys that begin with some values. */
    static KeyBounds prefix(List<? extends @Nullable Object> prefix) {
        return new KeyBounds(copyOf(prefix), copyOf(prefix), List.of());
    }

    /**
     * The keys at or after some values and before others.
     *
     * @param before empty: to the end
     */
    static KeyBounds between(
            List<? extends @Nullable Object> from, List<? extends @Nullable Object> before) {
        return new KeyBounds(List.of(), copyOf(from), copyOf(before));
    }
}
