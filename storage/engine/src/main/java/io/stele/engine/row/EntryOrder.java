package io.stele.engine.row;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A radix sort of keys that are stored one behind the other in an array, by key (unsigned bytes)
 * ascending, then by LSN descending.
 *
 * <p>It sorts numbers instead of keys. Each number has the bytes of a key behind the prefix that
 * all keys share, as many as fit into a long beside the key's position. Keys with equal bytes there
 * are sorted by the following bytes in the same way. (These bytes are one digit of a radix sort
 * from the left, as in McIlroy, Bostic and McIlroy, "Engineering radix sort", Computing Systems
 * 6(1), 1993, with a comparison sort for its buckets.) Confined to one thread.
 */
public final class EntryOrder {
    private static final VarHandle WORDS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final int FEW = 12; // insertion beats the passes over a group

    private static final int MAX_DEPTH = 32; // keys like stairs must not exhaust the stack

    private final byte[] bytes;
    private final int[] ends;
    private final long[] lsns;
    private final int[] order;
    private final int[] before;
    private final long[] words;

    private EntryOrder(byte[] bytes, int[] ends, long[] lsns, int count) {
        this.bytes = bytes;
        this.ends = ends;
        this.lsns = lsns;
        this.order = new int[count];
        this.before = new int[count];
        this.words = new long[count];
        Arrays.setAll(order, place -> place);
    }

    /**
     * The positions of the keys in their order; equal keys in the order in which they are stored.
     *
     * @param ends where each key ends, and the next begins
     */
    public static int[] of(byte[] bytes, int[] ends, long[] lsns, int count) {
        EntryOrder sorting = new EntryOrder(bytes, ends, lsns, count);
        sorting.sort(0, count, 0, 0);
        return sorting.order;
    }

    /** Sorts a part of the order, whose keys share their first {@code known} bytes. */
    private void sort(int from, int to, int known, int depth) {
        if (to - from <= FEW) {
            insert(from, to);
            return;
        }
        int shared = shared(from, to, known);
        if (shared < 0 || depth == MAX_DEPTH) {
            compareAll(from, to);
            return;
        }
        int placeBits = Integer.SIZE - Integer.numberOfLeadingZeros(to - from - 1);
        long placeMask = (1L << placeBits) - 1;
        for (int i = from; i < to; i++) {
            long word = word(order[i], shared);
            words[i] = ((word & ~placeMask) | (i - from)) ^ Long.MIN_VALUE; // unsigned
        }
        Arrays.sort(words, from, to);
        System.arraycopy(order, from, before, from, to - from);
        for (int i = from; i < to; i++) {
            order[i] = before[from + (int) (words[i] & placeMask)];
        }
        int decided = shared + (Long.SIZE - placeBits) / Byte.SIZE;
        for (int start = from; start < to; ) {
            int end = start + 1;
            while (end < to && ((words[start] ^ words[end]) & ~placeMask) == 0) {
                end++;
            }
            if (end - start > 1) {
                sort(start, end, decided, depth + 1);
            }
            start = end;
        }
    }

    /** The number of first bytes that the keys share; below 0 if one of them ends there. */
    private int shared(int from, int to, int known) {
        int first = order[from];
        int start = start(first);
        int shared = ends[first] - start;
        int shortest = shared;
        for (int i = from + 1; i < to && shared > known; i++) {
            int otherStart = start(order[i]);
            int length = ends[order[i]] - otherStart;
            shortest = Math.min(shortest, length);
            if (length < known) {
                return -1;
            }
            int mismatch =
                    Arrays.mismatch(
                            bytes,
                            start + known,
                            start + shared,
                            bytes,
                            otherStart + known,
                            otherStart + Math.min(shared, length));
            if (mismatch >= 0) {
                shared = known + mismatch;
            }
        }
        return shared < shortest ? shared : -1;
    }

    /** Eight bytes of a key from an offset on, with zeros behind its end. */
    private long word(int place, int offset) {
        int at = start(place) + offset;
        int length = ends[place] - at;
        if (length >= Long.BYTES) {
            return (long) WORDS.get(bytes, at);
        }
        long word = 0;
        for (int i = 0; i < length; i++) {
            word |= (bytes[at + i] & 0xFFL) << (56 - 8 * i);
        }
        return word;
    }

    private void insert(int from, int to) {
        for (int i = from + 1; i < to; i++) {
            int inserted = order[i];
            int at = i;
            while (at > from && compare(order[at - 1], inserted) > 0) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = inserted;
        }
    }

    private void compareAll(int from, int to) {
        Integer[] places = new Integer[to - from];
        Arrays.setAll(places, i -> order[from + i]);
        Arrays.sort(places, this::compare);
        for (int i = from; i < to; i++) {
            order[i] = places[i - from];
        }
    }

    private int compare(int one, int other) {
        int byKey =
                Arrays.compareUnsigned(
                        bytes, start(one), ends[one], bytes, start(other), ends[other]);
        return byKey != 0 ? byKey : Long.compare(lsns[other], lsns[one]);
    }

    private int start(int place) {
        return place == 0 ? 0 : ends[place - 1];
    }
}
