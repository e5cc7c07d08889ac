package io.stele.cache.page.segment;

import io.stele.cache.page.PageKey;
import java.util.Arrays;

/**
 * A reservation of disk space for units of a page that are about to be written into a cache
 * directory. It is created and ended under the lock of the index; in between only its writer uses
 * it.
 *
 * <p>If a group has one cached unit, in room for one unit, the reservation is for the whole group,
 * and the writer copies that unit. The source of the copy and the page's own room that is written
 * into are pinned: they are not reused until this ends.
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

    /** The units to write, one bit each; 0: all wanted units are cached. */
    int mask() {
        return mask;
    }

    /** The target place of a group with written units. */
    int place(int group) {
        return places[group];
    }

    /**
     * The place from which the cached unit of a group is copied; {@link Places#NONE} if there is
     * none.
     */
    int source(int group) {
        return sources[group];
    }

    /** The units that are copied, one bit each. */
    int copied() {
        return copied;
    }

    /** Whether the group's place already belongs to the page. */
    boolean isPinned(int group) {
        return (pinnedGroups & 1 << group) != 0;
    }

    void setPinned(int group, int place) {
        places[group] = place;
        pinnedGroups |= 1 << group;
    }

    /**
     * @param units the unit in that place, as a bit of the page's mask
     */
    void setSource(int group, int source, int units) {
        sources[group] = source;
        copied |= units;
    }

    void setPlace(int group, int place) {
        places[group] = place;
    }
}
