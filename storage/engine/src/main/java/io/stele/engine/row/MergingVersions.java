package io.stele.engine.row;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;

/**
 * A merge of several sorted sequences of row versions, in memory or files, into one by key
 * ascending and LSN descending. Where key and LSN are equal, the sequence named first comes first.
 * If a sequence fails to advance, nothing changes. Confined to one thread.
 */
public final class MergingVersions implements Iterator<KeyedVersion> {
    private final PriorityQueue<Source> sources;

    public MergingVersions(List<? extends Iterator<KeyedVersion>> sequences) {
        List<Source> nonEmpty = new ArrayList<>();
        for (int order = 0; order < sequences.size(); order++) {
            Iterator<KeyedVersion> sequence = sequences.get(order);
            if (sequence.hasNext()) {
                nonEmpty.add(new Source(sequence, order));
            }
        }
        this.sources = new PriorityQueue<>(nonEmpty);
    }

    @Override
    public boolean hasNext() {
        return !sources.isEmpty();
    }

    @Override
    public KeyedVersion next() {
        Source first = sources.poll();
        if (first == null) {
            throw new NoSuchElementException("No version left");
        }
        KeyedVersion version = first.head;
        boolean more = true; // if it fails, it is where it was
        try {
            more = first.advance();
        } finally {
            if (more) {
                sources.add(first);
            }
        }
        return version;
    }

    private static final class Source implements Comparable<Source> {
        private final Iterator<KeyedVersion> sequence;
        private final int order;
        private KeyedVersion head;

        private Source(Iterator<KeyedVersion> sequence, int order) {
            this.sequence = sequence;
            this.order = order;
            this.head = sequence.next();
        }

        private boolean advance() {
            if (!sequence.hasNext()) {
                return false;
            }
            head = sequence.next();
            return true;
        }

        @Override
        public int compareTo(Source other) {
            int byVersion = head.compareTo(other.head);
            return byVersion != 0 ? byVersion : Integer.compare(order, other.order);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
