package io.stele.engine.aggregate;

import java.util.ArrayList;
import java.util.List;

/**
 * The groups whose hash begins with some bits: what one pass over the rows of an aggregation
 * computes. Ranges that come of splits are disjoint and together the range that was split.
 * Immutable.
 *
 * @param bits how many
 * @param prefix their values
 */
public record GroupRange(int bits, long prefix) {
    /** All groups. */
    public static final GroupRange ALL = new GroupRange(0, 0);

    /** Eight: a pass too many costs less than one that has to be split again. */
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

    /** The parts of this range, each a pass of its own. */
    public List<GroupRange> split() {
        List<GroupRange> parts = new ArrayList<>();
        for (long part = 0; part < 1L << SPLIT_BITS; part++) {
            parts.add(new GroupRange(bits + SPLIT_BITS, prefix << SPLIT_BITS | part));
        }
        return parts;
    }
}
