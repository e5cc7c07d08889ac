package io.stele.cache.page.segment;

import io.stele.cache.page.PageKey;
import java.util.Arrays;

/**
 * Room for units of a page that are about to be written: created and ended under the lock of the
 * index, and used only by its writer in between.
 *
 * <p>A group with one cached unit, in room for one, gets room for all: the writer copies that unit.
 * The source of the copy, and room of the page that is written into, are pinned: they are not
 * reused until this ends.
 */
final class Placement {
    private final PageKey key;
    private final int mask;
    private final int[] places = new int[Places.GROUPS];
    private final int[] sources = new int[Places.GROUPS];
    private int copied;
    private int pinnedGroups;

    Placement(PageKey key, int mask) {
        this.key = key;
        this.mask = mask;
        Arrays.fill(places, Places.NONE);
        Arrays.fill(sources, Places.NONE);
    }

    PageKey key() {
        return key;
    }

    /** The units that are to be written, a bit each; 0: all that is wanted is here. */
    int mask() {
        return mask;
    }

    /** The target place of a group with written units. */
    int place(int group) {
        return places[group];
    }

    /**
     * The place from which the one unit of a group is copied, {@link Places#NONE} if there is none.
     */
    int source(int group) {
        return sources[group];
    }

    /** Units that are copied, a bit each. */
    int copied() {
        return copied;
    }

    /** Whether the group's place is the page's already. */
    boolean isPinned(int group) {
        return (pinnedGroups & 1 << group) != 0;
    }

    void setPinned(int group, int place) {
        places[group] = place;
        pinnedGroups |= 1 << group;
    }

    /**
     * @param units that lies there, a bit of the page's mask
     */
    void setSource(int group, int source, int units) {
        sources[group] = source;
        copied |= units;
    }

    void setPlace(int group, int place) {
        places[group] = place;
    }
}
