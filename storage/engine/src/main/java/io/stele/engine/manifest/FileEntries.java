package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The file entries of one manifest version, in its order and by file id. A version has few changes
 * of the one before it. So versions share an array of entries with its index, and each has its
 * changes: removed and replaced positions, and entries after the end. With many changes, a new
 * array is made. Immutable and thread-safe.
 *
 * <p>Invariant: file ids are unique.
 */
public final class FileEntries extends AbstractCollection<FileEntry> {
    private static final FileEntries EMPTY = of(List.of());

    /** Below this number of changes, a new array would cost more than it saves. */
    private static final int MIN_CHANGES = 64;

    private final SharedEntries shared;
    private final BitSet removed; // positions
    private final Map<Integer, FileEntry> replaced; // by position
    private final Map<String, FileEntry> added; // by id, in order

    private FileEntries(
            SharedEntries shared,
            BitSet removed,
            Map<Integer, FileEntry> replaced,
            Map<String, FileEntry> added) {
        this.shared = shared;
        this.removed = removed;
        this.replaced = replaced;
        this.added = added;
    }

    public static FileEntries of() {
        return EMPTY;
    }

    /**
     * @throws IllegalArgumentException if two entries have the same id
     */
    public static FileEntries of(Collection<FileEntry> entries) {
        return new FileEntries(new SharedEntries(entries), new BitSet(), Map.of(), Map.of());
    }

    @Override
    public int size() {
        return shared.entries.length - removed.cardinality() + added.size();
    }

    /** The entry of a file. */
    public Optional<FileEntry> find(String fileId) {
        FileEntry after = added.get(fileId);
        if (after != null) {
            return Optional.of(after);
        }
        int position = shared.position(fileId);
        return position < 0 ? Optional.empty() : Optional.ofNullable(at(position));
    }

    private @Nullable FileEntry at(int position) {
        if (removed.get(position)) {
            return null;
        }
        FileEntry other = replaced.get(position);
        return other == null ? shared.entries[position] : other;
    }

    @Override
    public Iterator<FileEntry> iterator() {
        return new Iterator<>() {
            private final Iterator<FileEntry> after = added.values().iterator();
            private int position = removed.nextClearBit(0);

            @Override
            public boolean hasNext() {
                return position < shared.entries.length || after.hasNext();
            }

            @Override
            public FileEntry next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("Expected another file, found the end");
                }
                if (position >= shared.entries.length) {
                    return after.next();
                }
                FileEntry entry = requireNonNull(at(position));
                position = removed.nextClearBit(position + 1);
                return entry;
            }
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof FileEntries entries
                        && List.copyOf(this).equals(List.copyOf(entries)));
    }

    @Override
    public int hashCode() {
        return List.copyOf(this).hashCode();
    }

    /** Begins the next set, at first with the entries of this one. */
    public Draft draft() {
        return new Draft(this);
    }

    /**
     * The difference of this set from another one. Its cost is that of the changes of both, if they
     * share their array, else that of a walk over all entries.
     */
    public Difference differenceFrom(FileEntries other) {
        return sharesWith(other) ? new Comparison(other).run() : compareAll(other);
    }

    /** Whether the difference from another set costs no more than the changes of both. */
    boolean sharesWith(FileEntries other) {
        return shared == other.shared;
    }

    private Difference compareAll(FileEntries other) {
        return walk(other).orElseGet(() -> compareById(other));
    }

    /**
     * The difference from a set that has most entries in the same order, found side by side; empty
     * if some are in another order.
     */
    @SuppressWarnings("ReferenceEquality") // an entry that changed is another object
    private Optional<Difference> walk(FileEntries other) {
        List<FileEntry> changed = new ArrayList<>();
        List<String> gone = new ArrayList<>();
        Iterator<FileEntry> befores = other.iterator();
        FileEntry before = next(befores);
        for (FileEntry now : this) {
            while (before != null && before != now && find(before.fileId()).isEmpty()) {
                gone.add(before.fileId());
                before = next(befores);
            }
            if (before == null) {
                if (other.find(now.fileId()).isPresent()) {
                    return Optional.empty();
                }
                changed.add(now);
                continue;
            }
            if (before != now) {
                if (!before.fileId().equals(now.fileId())) {
                    return Optional.empty();
                }
                changed.add(now);
            }
            before = next(befores);
        }
        for (; before != null; before = next(befores)) {
            if (find(before.fileId()).isPresent()) {
                return Optional.empty();
            }
            gone.add(before.fileId());
        }
        return Optional.of(new Difference(changed, gone, true));
    }

    private static @Nullable FileEntry next(Iterator<FileEntry> entries) {
        return entries.hasNext() ? entries.next() : null;
    }

    @SuppressWarnings("ReferenceEquality") // an entry that changed is another object
    private Difference compareById(FileEntries other) {
        Map<String, FileEntry> before = new LinkedHashMap<>();
        other.forEach(entry -> before.put(entry.fileId(), entry));
        List<FileEntry> changed = new ArrayList<>();
        Map<String, FileEntry> present = new LinkedHashMap<>();
        for (FileEntry entry : this) {
            present.put(entry.fileId(), entry);
            if (before.get(entry.fileId()) != entry) {
                changed.add(entry);
            }
        }
        List<String> gone =
                before.keySet().stream().filter(id -> !present.containsKey(id)).toList();
        gone.forEach(before::remove);
        changed.forEach(entry -> before.put(entry.fileId(), entry));
        boolean inOrder = List.copyOf(before.keySet()).equals(List.copyOf(present.keySet()));
        return new Difference(changed, gone, inOrder);
    }

    /**
     * The difference of a set from another one.
     *
     * @param changed entries that are missing or different in the other set, in this set's order
     * @param removedIds files that are only in the other set, in its order
     * @param inOrder whether this set results, in its order, if the removed files are taken out of
     *     the other set, changed entries replaced, and the rest of them added at the end; false
     *     also where a file that was removed and added again is by chance in its old place
     */
    public record Difference(List<FileEntry> changed, List<String> removedIds, boolean inOrder) {
        public Difference {
            changed = List.copyOf(changed);
            removedIds = List.copyOf(removedIds);
        }
    }

    /** A comparison with a set that shares the array. */
    private final class Comparison {
        private final FileEntries other;
        private final List<FileEntry> changed = new ArrayList<>();
        private final List<String> gone = new ArrayList<>();
        private boolean inOrder = true;

        Comparison(FileEntries other) {
            this.other = other;
        }

        Difference run() {
            compareShared();
            compareAdded();
            return new Difference(changed, gone, inOrder);
        }

        @SuppressWarnings("ReferenceEquality") // an entry that changed is another object
        private void compareShared() {
            TreeSet<Integer> positions = new TreeSet<>(replaced.keySet());
            positions.addAll(other.replaced.keySet());
            BitSet differing = (BitSet) removed.clone();
            differing.xor(other.removed);
            differing.stream().forEach(positions::add);
            for (int position : positions) {
                FileEntry now = at(position);
                FileEntry before = other.at(position);
                if (now != null && now != before) {
                    changed.add(now);
                    inOrder &= before != null;
                } else if (now == null && before != null) {
                    String id = before.fileId();
                    if (added.containsKey(id)) {
                        inOrder = false; // it moved
                    } else {
                        gone.add(id);
                    }
                }
            }
        }

        @SuppressWarnings("ReferenceEquality") // an entry that changed is another object
        private void compareAdded() {
            Iterator<String> othersInOrder =
                    other.added.keySet().stream().filter(added::containsKey).iterator();
            boolean begunNew = false;
            for (Map.Entry<String, FileEntry> one : added.entrySet()) {
                FileEntry before = other.added.get(one.getKey());
                if (before != one.getValue()) {
                    changed.add(one.getValue());
                }
                if (before == null) {
                    begunNew = true;
                } else {
                    inOrder &= !begunNew && othersInOrder.next().equals(one.getKey());
                }
            }
            for (String id : other.added.keySet()) {
                if (!added.containsKey(id) && find(id).isEmpty()) {
                    gone.add(id);
                }
            }
        }
    }

    /** A builder of the next set. Confined to one thread. */
    public static final class Draft {
        private final SharedEntries shared;
        private final BitSet removed;
        private final Map<Integer, FileEntry> replaced;
        private final Map<String, FileEntry> added;

        private Draft(FileEntries before) {
            this.shared = before.shared;
            this.removed = (BitSet) before.removed.clone();
            this.replaced = new HashMap<>(before.replaced);
            this.added = new LinkedHashMap<>(before.added);
        }

        /** The entry of a file as it is now. */
        public Optional<FileEntry> find(String fileId) {
            return view().find(fileId);
        }

        public boolean contains(String fileId) {
            return find(fileId).isPresent();
        }

        /** Replaces the entry of a file in its place, or adds it at the end. */
        public void put(FileEntry entry) {
            String id = entry.fileId();
            int position = added.containsKey(id) ? -1 : shared.position(id);
            if (position < 0 || removed.get(position)) {
                added.put(id, entry);
            } else {
                replaced.put(position, entry);
            }
        }

        /**
         * @return false if the file is not there
         */
        public boolean remove(String fileId) {
            if (added.remove(fileId) != null) {
                return true;
            }
            int position = shared.position(fileId);
            if (position < 0 || removed.get(position)) {
                return false;
            }
            removeAt(position);
            return true;
        }

        /** Removes all files that match. */
        public void removeIf(Predicate<FileEntry> matching) {
            added.values().removeIf(matching);
            FileEntries now = view();
            for (int i = removed.nextClearBit(0);
                    i < shared.entries.length;
                    i = removed.nextClearBit(i + 1)) {
                if (matching.test(requireNonNull(now.at(i)))) {
                    removeAt(i);
                }
            }
        }

        private void removeAt(int position) {
            removed.set(position);
            replaced.remove(position);
        }

        /** The set as it is now, for one look: it changes with this draft. */
        private FileEntries view() {
            return new FileEntries(shared, removed, replaced, added);
        }

        /** The next set; the draft is not used again. */
        public FileEntries build() {
            int changes = removed.cardinality() + replaced.size() + added.size();
            return changes <= Math.max(MIN_CHANGES, 4 * Math.sqrt(shared.entries.length))
                    ? view()
                    : of(List.copyOf(view()));
        }
    }

    /** An array of entries with an index by file id: a hash table with open addressing. */
    private static final class SharedEntries {
        private final FileEntry[] entries;
        private final int[] slots; // position + 1; 0: free; at most half are in use

        SharedEntries(Collection<FileEntry> entries) {
            this.entries = entries.toArray(FileEntry[]::new);
            this.slots = new int[Integer.highestOneBit(Math.max(1, this.entries.length)) << 2];
            int[] hashes = new int[this.entries.length];
            for (int i = 0; i < this.entries.length; i++) {
                String id = this.entries[i].fileId();
                hashes[i] = id.hashCode();
                int slot = firstSlot(hashes[i]);
                while (slots[slot] != 0) {
                    int other = slots[slot] - 1;
                    // Ids are decoded, which only pays where they are probably equal
                    if (hashes[other] == hashes[i] && this.entries[other].fileId().equals(id)) {
                        throw new IllegalArgumentException(
                                "Expected each file id once, found " + id + " twice");
                    }
                    slot = next(slot);
                }
                slots[slot] = i + 1;
            }
        }

        /** The position of a file; -1: it is not in the array. */
        int position(String fileId) {
            return slots[slot(fileId)] - 1;
        }

        /** The slot of a file, or the free one for it. */
        private int slot(String fileId) {
            int slot = firstSlot(fileId.hashCode());
            while (slots[slot] != 0 && !entries[slots[slot] - 1].fileId().equals(fileId)) {
                slot = next(slot);
            }
            return slot;
        }

        private int firstSlot(int hash) {
            return (hash ^ (hash >>> 16)) & (slots.length - 1);
        }

        private int next(int slot) {
            return (slot + 1) & (slots.length - 1);
        }
    }
}
