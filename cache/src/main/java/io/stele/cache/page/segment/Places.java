package io.stele.cache.page.segment;

import io.stele.cache.page.PageGeometry;

/**
 * Places of units on disk. The units of a page come in groups of {@value #GROUP}, and each group of
 * which something is here has one place, a number:
 *
 * <pre>
 * bit 0       1: the group has room for all of its units, side by side from a multiple of four on
 *             0: it has room for one unit, which is the only one of the group that is here
 * bits 1-30   the first unit of that room in the directory
 * </pre>
 */
final class Places {
    /** Units of a group. */
    static final int GROUP = PageGeometry.GROUP_UNITS;

    /** Groups of a page. */
    static final int GROUPS = PageGeometry.MAX_UNITS / GROUP;

    /** Nothing of the group is here. */
    static final int NONE = -1;

    private static final int GROUP_MASK = (1 << GROUP) - 1;

    private Places() {}

    static int whole(int firstUnit) {
        return firstUnit << 1 | 1;
    }

    static int single(int unit) {
        return unit << 1;
    }

    static boolean isWhole(int place) {
        return (place & 1) != 0;
    }

    /** The first unit of the room. */
    static int firstUnit(int place) {
        return place >> 1;
    }

    /** Units of space that a place takes; 0 for {@link #NONE}. */
    static int space(int place) {
        return place == NONE ? 0 : isWhole(place) ? GROUP : 1;
    }

    /**
     * The number of a unit in the directory.
     *
     * @param place of its group
     * @param unit its number in the page
     */
    static int unit(int place, int unit) {
        return isWhole(place) ? firstUnit(place) + unit % GROUP : firstUnit(place);
    }

    /** The bits of a group in a mask of a page's units. */
    static int ofGroup(int mask, int group) {
        return mask >>> group * GROUP & GROUP_MASK;
    }

    /** The bits of a group, at their places in a mask of a page's units. */
    static int groupIn(int mask, int group) {
        return mask & GROUP_MASK << group * GROUP;
    }

    /** The highest unit of a mask that has one. */
    static int highest(int mask) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(mask);
    }

    /** The units from {@code first} to before {@code end}, a bit each. */
    static int range(int first, int end) {
        return (1 << end) - (1 << first);
    }
}
