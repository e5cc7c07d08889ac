package io.stele.cache.page.segment;

import io.stele.cache.page.PageGeometry;

/**
 * The codec of the disk places of page units in a cache directory. The units of a page form groups
 * of {@value #GROUP}, and each group with cached units has one place, a number:
 *
 * <pre>
 * bit 0       1: the group has room for all of its units, adjacent, from a multiple of four on
 *             0: it has room for one unit, which is the only cached unit of the group
 * bits 1-30   the first unit of that room in the directory
 * </pre>
 */
final class Places {
    /** Units of a group. */
    static final int GROUP = PageGeometry.GROUP_UNITS;

    /** Groups of a page. */
    static final int GROUPS = PageGeometry.MAX_UNITS / GROUP;

    /** The place of a group without cached units. */
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

    /** The number of the first unit of the room in the directory. */
    static int firstUnit(int place) {
        return place >> 1;
    }

    /** The units of space of a place; 0 for {@link #NONE}. */
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

    /** The bits of a group in a mask of a page's units, shifted to bit 0. */
    static int ofGroup(int mask, int group) {
        return mask >>> group * GROUP & GROUP_MASK;
    }

    /** The bits of a group in a mask of a page's units, at their positions. */
    static int groupIn(int mask, int group) {
        return mask & GROUP_MASK << group * GROUP;
    }

    /** The number of the highest unit of a mask, which must not be 0. */
    static int highest(int mask) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(mask);
    }

    /** The units from {@code first}, inclusive, to {@code end}, exclusive, one bit each. */
    static int range(int first, int end) {
        return (1 << end) - (1 << first);
    }
}
