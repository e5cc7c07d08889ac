package io.stele.engine.aggregate;

import java.util.ArrayList;
import java.util.List;

/**
 * The groups of an aggregation whose hashes begin with a prefix of bits, which one pass over the
 * rows computes. The parts of a split range are disjoint and cover it. Immutable.
 *
 * @param bits the length of the prefix; 0: all groups
 * @param prefix the value of the bits
 */
public record GroupRange(int bits, long prefix) {
    /** All groups. */
    public static final GroupRange ALL = new GroupRange(0, 0);

    /**
     * A split makes eight ranges: a pass too many costs less than a pass that has to be split
     * again.
     */
    private static final int SPLIT_BITS = 3;

    public GroupRange {
        if (bits < 0 || bits >= Long.SIZE || prefix >>> bits != 0) {
            throw new IllegalArgumentException(
                    "Expected a prefix of 0 to 63 bits, found %s of %s bits"
                            .formatted(prefix, bits));
        }
    }

    boolean isAll() {
        return bits == 0;
    }

    boolean contains(long hash) {
        return bits == 0 || hash >>> (Long.SIZE - bits) == prefix;
    }

    boolean canSplit() {
        return bits + SPLIT_BITS < Long.SIZE;
    }

    /** The parts of this range, each for one pass. */
    public List<GroupRange> split() {
        List<GroupRange> parts = new ArrayList<>();
        for (long part = 0; part < 1L << SPLIT_BITS; part++) {
            parts.add(new GroupRange(bits + SPLIT_BITS, prefix << SPLIT_BITS | part));
        }
        return parts;
    }
}
