package io.stele.cache.page.segment;

/**
 * An LRU queue of a page index: entries in the order of their last use, linked through fields of
 * {@link PageEntries}. Not thread-safe.
 *
 * <p>Invariant: {@code units} is the sum of the units of the entries in the queue.
 */
final class PageQueue {
    private final PageEntries entries;
    private final int kind;
    private int head = PageEntries.NONE;
    private int tail = PageEntries.NONE;
    private int units;
    private int size;

    PageQueue(PageEntries entries, int kind) {
        this.entries = entries;
        this.kind = kind;
    }

    /** The least recently used entry, or {@link PageEntries#NONE}. */
    int tail() {
        return tail;
    }

    int units() {
        return units;
    }

    int size() {
        return size;
    }

    /** Adds an entry as the most recently used one. */
    void addFirst(int entry, int entryUnits) {
        entries.setQueue(entry, kind);
        entries.setField(entry, PageEntries.PREVIOUS, PageEntries.NONE);
        entries.setField(entry, PageEntries.NEXT, head);
        if (head == PageEntries.NONE) {
            tail = entry;
        } else {
            entries.setField(head, PageEntries.PREVIOUS, entry);
        }
        head = entry;
        units += entryUnits;
        size++;
    }

    /** Adds an entry as the least recently used one. */
    void addLast(int entry, int entryUnits) {
        entries.setQueue(entry, kind);
        entries.setField(entry, PageEntries.NEXT, PageEntries.NONE);
        entries.setField(entry, PageEntries.PREVIOUS, tail);
        if (tail == PageEntries.NONE) {
            head = entry;
        } else {
            entries.setField(tail, PageEntries.NEXT, entry);
        }
        tail = entry;
        units += entryUnits;
        size++;
    }

    /** Adds units that an entry of the queue gained. */
    void grow(int moreUnits) {
        units += moreUnits;
    }

    void remove(int entry, int entryUnits) {
        int previous = entries.field(entry, PageEntries.PREVIOUS);
        int next = entries.field(entry, PageEntries.NEXT);
        if (previous == PageEntries.NONE) {
            head = next;
        } else {
            entries.setField(previous, PageEntries.NEXT, next);
        }
        if (next == PageEntries.NONE) {
            tail = previous;
        } else {
            entries.setField(next, PageEntries.PREVIOUS, previous);
        }
        units -= entryUnits;
        size--;
    }

    void moveFirst(int entry, int entryUnits) {
        if (head != entry) {
            remove(entry, entryUnits);
            addFirst(entry, entryUnits);
        }
    }

    /** Copies the entries, the least recently used first; returns their number. */
    int copy(int[] target, int from) {
        int position = from;
        for (int entry = tail;
                entry != PageEntries.NONE;
                entry = entries.field(entry, PageEntries.PREVIOUS)) {
            target[position++] = entry;
        }
        return position - from;
    }
}
