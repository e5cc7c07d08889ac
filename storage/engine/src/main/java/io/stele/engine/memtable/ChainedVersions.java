package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * An iterator that concatenates iterators of row versions, without merging them. Confined to one
 * thread.
 */
final class ChainedVersions implements Iterator<KeyedVersion> {
    private final Deque<Iterator<KeyedVersion>> left;

    ChainedVersions(List<Iterator<KeyedVersion>> sequences) {
        this.left = new ArrayDeque<>(sequences);
    }

    @Override
    public boolean hasNext() {
        while (!left.isEmpty() && !left.element().hasNext()) {
            left.remove();
        }
        return !left.isEmpty();
    }

    @Override
    public KeyedVersion next() {
        if (!hasNext()) {
            throw new NoSuchElementException("No version left");
        }
        return left.element().next();
    }
}
