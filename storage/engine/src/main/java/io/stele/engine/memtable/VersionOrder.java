package io.stele.engine.memtable;

import java.util.Arrays;

/**
 * A sort of versions of a {@link VersionStore}, by key ascending, newest first, which returns their
 * indexes.
 *
 * <p>The sort compares numbers made of the bits in which the prefixes of the keys differ, as many
 * as fit beside a version's position. Where these bits are equal, the keys are compared. Stateless.
 */
final class VersionOrder {
    private static final int FEW = 12; // few versions are sorted without objects

    private VersionOrder() {}

    /** The indexes from {@code from} to {@code to}, exclusive, in sorted order. */
    static int[] of(VersionStore versions, int from, int to) {
        int count = to - from;
        int[] order = new int[count];
        if (count == 0) {
            return order;
        }
        long[] words = new long[count];
        long first = versions.prefix(from);
        long differing = 0;
        for (int i = 0; i < count; i++) {
            words[i] = versions.prefix(from + i);
            differing |= words[i] ^ first;
        }
        int shared = Math.min(Long.SIZE - 1, Long.numberOfLeadingZeros(differing));
        int placeBits = Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
        long placeMask = (1L << placeBits) - 1;
        for (int i = 0; i < count; i++) {
            long place = count - 1L - i; // newer versions first
            words[i] = (((words[i] << shared) & ~placeMask) | place) ^ Long.MIN_VALUE; // unsigned
        }
        Arrays.sort(words);
        for (int i = 0; i < count; i++) {
            order[i] = to - 1 - (int) (words[i] & placeMask);
        }
        for (int start = 0; start < count; ) {
            int end = start + 1;
            while (end < count && ((words[start] ^ words[end]) & ~placeMask) == 0) {
                end++;
            }
            if (end - start > 1) {
                sortByKey(versions, order, start, end);
            }
            start = end;
        }
        return order;
    }

    // Stable: versions of one key keep their order.
    private static void sortByKey(VersionStore versions, int[] order, int from, int to) {
        if (to - from <= FEW) {
            insert(versions, order, from, to);
            return;
        }
        Integer[] group = new Integer[to - from];
        Arrays.setAll(group, i -> order[from + i]);
        Arrays.sort(group, versions::compareKeys);
        for (int i = from; i < to; i++) {
            order[i] = group[i - from];
        }
    }

    private static void insert(VersionStore versions, int[] order, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            int inserted = order[i];
            int at = i;
            while (at > from && versions.compareKeys(order[at - 1], inserted) > 0) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = inserted;
        }
    }
}
