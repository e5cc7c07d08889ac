package io.stele.engine.shard.write;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An overlay of the changes of batches that are logged but not applied yet: the newest value of
 * each key, or its deletion. It is read before the applied state, so a batch can be evaluated
 * without waiting for the batches before it.
 *
 * <p>The entries of the batch being evaluated are staged: {@link #find} returns them at once, and
 * they are kept or discarded as a whole.
 *
 * <p>Invariant: an entry stays until the last batch that changed its key is applied. Confined to
 * the shard's context.
 */
public final class InFlightKeys {
    private final Map<KeySlice, Entry> entries = new HashMap<>();
    private final Deque<Logged> order = new ArrayDeque<>();
    private final Map<KeySlice, Entry> staged = new LinkedHashMap<>();
    private long applied; // the last batch that is applied

    /**
     * The value of a key: {@code length} bytes of an array that never changes, or nothing.
     *
     * @param array null if the key is deleted
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Entry(long batch, byte @Nullable [] array, int offset, int length) {
        /** Whether the key is gone. */
        boolean isGone() {
            return array == null;
        }
    }

    /**
     * @param before the entry that was there before
     */
    private record Logged(long batch, KeySlice key, @Nullable Entry before) {}

    /** The value by the newest batch that has the key; null: no batch in flight has it. */
    @Nullable Entry find(byte[] key) {
        return find(new KeySlice(key));
    }

    @Nullable
    public Entry find(KeySlice key) {
        Entry entry = staged.isEmpty() ? null : staged.get(key);
        return entry != null ? entry : entries.get(key);
    }

    /** The value of the key by the batches before the one being evaluated. */
    @Nullable Entry findKept(KeySlice key) {
        return entries.get(key);
    }

    /** The changes of the batch being evaluated, by the first change of each key. */
    Map<KeySlice, Entry> staged() {
        return staged;
    }

    /** Stages a value of a key for the batch being evaluated. */
    void put(byte[] key, byte[] value) {
        put(new KeySlice(key), value, 0, value.length);
    }

    void put(KeySlice key, byte[] array, int offset, int length) {
        staged.put(key, new Entry(0, array, offset, length));
    }

    /** Stages the deletion of a key for the batch being evaluated. */
    void remove(KeySlice key) {
        staged.put(key, new Entry(0, null, 0, 0));
    }

    /** Keeps the staged entries, since the batch is logged. */
    void keep(long batch) {
        for (Map.Entry<KeySlice, Entry> change : staged.entrySet()) {
            Entry entry = change.getValue();
            Entry before =
                    entries.put(
                            change.getKey(),
                            new Entry(batch, entry.array(), entry.offset(), entry.length()));
            order.addLast(new Logged(batch, change.getKey(), before));
        }
        staged.clear();
    }

    /** Discards the staged entries, since the batch is not logged, or not yet. */
    void takeBack() {
        staged.clear();
    }

    /** Removes the entries of the last kept batch, which is not logged after all. */
    void undo(long batch) {
        for (Logged last = order.peekLast();
                last != null && last.batch() == batch;
                last = order.peekLast()) {
            order.removeLast();
            Entry before = last.before();
            if (before != null && before.batch() > applied) {
                entries.put(last.key(), before);
            } else {
                entries.remove(last.key());
            }
        }
    }

    /** Removes the entries of this batch and all before it, since memory has their changes now. */
    void applied(long batch) {
        applied = Math.max(applied, batch);
        for (Logged next = order.peekFirst();
                next != null && next.batch() <= batch;
                next = order.peekFirst()) {
            order.removeFirst();
            Entry entry = entries.get(next.key());
            if (entry != null && entry.batch() == next.batch()) {
                entries.remove(next.key());
            }
        }
    }
}
