package io.stele.engine.index;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.KeyedVersion;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over the leading entries of a sorted sequence that begin with a prefix. Confined to
 * one thread.
 */
final class PrefixEntries implements Iterator<KeyedVersion> {
    private final Iterator<KeyedVersion> sorted;
    private final byte[] prefix;
    private @Nullable KeyedVersion next;

    PrefixEntries(Iterator<KeyedVersion> sorted, byte[] prefix) {
        this.sorted = requireNonNull(sorted, "sorted is null");
        this.prefix = requireNonNull(prefix, "prefix is null");
        advance();
    }

    @Override
    public boolean hasNext() {
        return next != null;
    }

    @Override
    public KeyedVersion next() {
        KeyedVersion result = next;
        if (result == null) {
            throw new NoSuchElementException("No entry left");
        }
        advance();
        return result;
    }

    private void advance() {
        KeyedVersion following = sorted.hasNext() ? sorted.next() : null;
        next = following != null && following.startsWith(prefix) ? following : null;
    }
}
