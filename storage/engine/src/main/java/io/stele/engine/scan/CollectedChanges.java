package io.stele.engine.scan;

import io.stele.engine.row.KeyedVersion;
import io.stele.protocol.schema.XxHash64;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of the changes that a change scan collects for a window of LSNs, and returns by LSN and
 * key, in bounded memory. Confined to one thread at a time.
 *
 * <p>Changes are added in any order. When they need too much memory, the changes of the highest LSN
 * are dropped, and the window ends below it. So the buffer has every change of the window, and can
 * return them in order; the next window begins where this one ends.
 *
 * <p>A window of a single LSN with too many changes needs no order: then each change is ready once
 * it is known. Rows that ended are held until it is known which rows replaced them. If they are too
 * many, the window begins again with the rows that began, and the rows that ended need not be held.
 * If the rows that began are too many, too, they are collected in parts, each with the keys of some
 * hashes.
 *
 * <pre>
 * from              end                    last
 *  |  this window    |  the next windows    |
 * </pre>
 */
final class CollectedChanges {
    private static final Comparator<KeyedVersion> BY_LSN_AND_KEY =
            Comparator.comparingLong(KeyedVersion::lsn).thenComparing(KeyedVersion::compareKey);

    /** A part cannot become smaller: a shard has fewer keys than that. */
    private static final int MAX_PARTS = 1 << 30;

    private final long lastLsn;
    private final long maxBytes;
    private final TreeMap<KeyedVersion, Change> changes = new TreeMap<>(BY_LSN_AND_KEY);
    private final Deque<Part> partsLeft = new ArrayDeque<>();
    private final Deque<Entry> ready = new ArrayDeque<>();
    private long fromLsn;
    private long endLsn;
    private long length = Long.MAX_VALUE; // approximate, of windows
    private boolean hasShrunk;
    private Part part = Part.ALL;
    private Order order = Order.BY_LSN_AND_KEY;
    private boolean mustBeginAgain;
    private boolean hasFirstSide;
    private long bytes; // of the map
    private int openEnds;
    private int unknown;

    /**
     * @param fromLsn the first window begins after it
     * @param lastLsn the last window ends with it
     * @param maxBytes limit of the memory, where there is more than one change
     */
    CollectedChanges(long fromLsn, long lastLsn, long maxBytes) {
        this.fromLsn = fromLsn;
        this.endLsn = lastLsn;
        this.lastLsn = lastLsn;
        this.maxBytes = maxBytes;
    }

    /** How the changes of a window are returned. */
    private enum Order {
        BY_LSN_AND_KEY,
        /** Each once it is known; the rows that ended are added first. */
        ANY,
        /** As {@link #ANY}; the rows that began are added first. */
        ANY_BEGINS_FIRST
    }

    /** The keys whose hash ends with some bits. */
    private record Part(int count, int index) {
        static final Part ALL = new Part(1, 0);

        boolean has(KeyedVersion version) {
            return count == 1 || (hash(version) & (count - 1)) == index;
        }

        private static long hash(KeyedVersion version) {
            return XxHash64.hash(version.keyArray(), version.keyOffset(), version.keyLength());
        }

        Part firstHalf() {
            return new Part(count * 2, index);
        }

        Part otherHalf() {
            return new Part(count * 2, index + count);
        }
    }

    /** The LSN after which the window begins. */
    long fromLsn() {
        return fromLsn;
    }

    /** The highest LSN of the window, inclusive; falls while changes are added. */
    long endLsn() {
        return endLsn;
    }

    boolean hasLsn(long lsn) {
        return lsn > fromLsn && lsn <= endLsn;
    }

    /**
     * Whether a change of the version's key at an LSN belongs to the window and part collected now.
     */
    boolean isWanted(KeyedVersion version, long lsn) {
        return hasLsn(lsn) && part.has(version);
    }

    /** Whether changes are ready as soon as they are known. */
    boolean isUnordered() {
        return order != Order.BY_LSN_AND_KEY;
    }

    /** Whether rows of files that ended are to be added after all rows that began. */
    boolean isBeginsFirst() {
        return order == Order.ANY_BEGINS_FIRST;
    }

    /** Whether the added changes are dropped, and {@link #advance} begins this window again. */
    boolean mustBeginAgain() {
        return mustBeginAgain;
    }

    /** The number of changes whose row before is unknown. */
    int unknownCount() {
        return unknown;
    }

    /** Whether there are rows that ended and that no row has replaced so far. */
    boolean hasOpenEnds() {
        return openEnds > 0;
    }

    /**
     * Adds a row of a file that ended.
     *
     * @param row as it was; a tombstone if it is not to be shown
     * @param lsn at which it ended; {@link #isWanted}
     */
    void addEnd(KeyedVersion row, long lsn) {
        if (!isBeginsFirst()) {
            addEndInMemory(row, lsn);
            return;
        }
        KeyedVersion at = at(row, lsn);
        Change change = changes.get(at);
        if (change == null) {
            change = new Change();
            change.before = row;
            ready.add(new Entry(lsn, change));
        } else if (change.before == null) {
            changes.remove(at);
            dropped(at, change);
            change.before = row;
            ready.add(new Entry(lsn, change));
        }
    }

    /** Adds a row of a memtable that ended, in whose place a row of a file may have begun. */
    void addEndInMemory(KeyedVersion row, long lsn) {
        Change change = changeAt(at(row, lsn));
        if (change.before == null) {
            change.before = row;
            bytes += row.memoryBytes();
            openEnds += change.isOpenEnd() ? 1 : 0;
        }
        shrink();
    }

    /**
     * Adds a row that began, at its LSN, if it {@link #isWanted}.
     *
     * @param isShown false: it matters only because it took the place of another row
     */
    void addBegin(KeyedVersion row, boolean isShown) {
        KeyedVersion at = at(row, row.lsn());
        boolean isMissing = !isShown && !isBeginsFirst() && !changes.containsKey(at);
        if (isMissing || !isWanted(row, row.lsn())) {
            return;
        }
        Change change = changeAt(at);
        if (change.after == null) {
            KeyedVersion after = isShown ? row : at;
            openEnds -= change.isOpenEnd() ? 1 : 0;
            change.after = after;
            bytes += after.memoryBytes();
        }
        settled(at, change);
    }

    /**
     * Adds a row that took the place of another one, at its LSN, if it {@link #isWanted}.
     *
     * @param before a tombstone if it is not to be shown
     */
    void addUpdate(KeyedVersion before, KeyedVersion row, boolean isShown) {
        KeyedVersion at = at(row, row.lsn());
        Change change = changeAt(at);
        change.before = before;
        change.after = isShown ? row : at;
        bytes += change.rowBytes();
        settled(at, change);
    }

    /**
     * Adds a row that ended, and in whose place none began.
     *
     * @param row as it was; a tombstone if it is not to be shown
     * @param lsn at which it ended; {@link #isWanted}
     */
    void addDelete(KeyedVersion row, long lsn) {
        KeyedVersion at = at(row, lsn);
        Change change = changeAt(at);
        change.before = row;
        bytes += row.memoryBytes();
        openEnds++;
        settled(at, change);
    }

    /**
     * Notes that all rows of files that ended are added, or all that began. From then on, each row
     * of the other side completes a change at once.
     */
    void sideIsAdded() {
        hasFirstSide = true;
    }

    /**
     * Adds a version, at its LSN, of which it is unknown whether it replaced a row.
     *
     * @param version a tombstone: of a row that ended, if there was one
     * @param isShown whether its row is to be shown
     * @return the place of the change
     */
    KeyedVersion addUnknown(KeyedVersion version, boolean isShown) {
        KeyedVersion at = at(version, version.lsn());
        Change change = changeAt(at);
        change.isBeforeUnknown = true;
        unknown++;
        if (!version.isDeleted()) {
            change.after = isShown ? version : at;
            bytes += change.after.memoryBytes();
        }
        shrink();
        return at;
    }

    /** Whether the row before is still to be found, for {@link #found}. */
    boolean isBeforeUnknown(KeyedVersion at) {
        Change change = changes.get(at);
        return change != null && change.isBeforeUnknown;
    }

    /**
     * Completes a change whose row before {@link #isBeforeUnknown}.
     *
     * @param before the row before; a tombstone if it is not to be shown; null: there was none
     */
    void found(KeyedVersion at, @Nullable KeyedVersion before) {
        Change change = changes.get(at);
        if (change == null || !change.isBeforeUnknown) {
            throw new IllegalStateException("Expected a change with an unknown row before");
        }
        change.isBeforeUnknown = false;
        unknown--;
        change.before = before;
        bytes += before == null ? 0 : before.memoryBytes();
        openEnds += change.isOpenEnd() ? 1 : 0;
        settled(at, change);
    }

    private Change changeAt(KeyedVersion at) {
        Change change = changes.get(at);
        if (change == null) {
            change = new Change();
            changes.put(at, change);
            bytes += at.memoryBytes();
        }
        return change;
    }

    /** Completes a change: nothing more is added to it, unless rows that ended are yet to come. */
    private void settled(KeyedVersion at, Change change) {
        if (order == Order.ANY) {
            changes.remove(at);
            dropped(at, change);
            ready.add(new Entry(at.lsn(), change));
        } else {
            shrink();
        }
    }

    private static KeyedVersion at(KeyedVersion version, long lsn) {
        return KeyedVersion.deleted(
                version.keyArray(), version.keyOffset(), version.keyLength(), lsn);
    }

    private void shrink() {
        while (bytes > maxBytes && changes.size() > 1) {
            long highest = changes.lastKey().lsn();
            if (highest - 1 > fromLsn) {
                endLsn = highest - 1;
                hasShrunk = true;
                dropAboveEnd();
                continue;
            }
            endLsn = highest; // the window is of this one LSN
            if (order == Order.BY_LSN_AND_KEY) {
                order = Order.ANY;
                releaseSettled();
            } else if (hasFirstSide || part.count() == MAX_PARTS) {
                return; // the rows are those of memory, or are settled soon
            } else if (order == Order.ANY_BEGINS_FIRST) {
                partsLeft.push(part.otherHalf());
                part = part.firstHalf();
                dropOtherParts();
            } else {
                order = Order.ANY_BEGINS_FIRST;
                mustBeginAgain = true;
                changes.clear();
                return;
            }
        }
    }

    private void releaseSettled() {
        Iterator<Map.Entry<KeyedVersion, Change>> entries = changes.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<KeyedVersion, Change> entry = entries.next();
            Change change = entry.getValue();
            if (change.after != null && !change.isBeforeUnknown) {
                entries.remove();
                dropped(entry.getKey(), change);
                ready.add(new Entry(entry.getKey().lsn(), change));
            }
        }
    }

    private void dropAboveEnd() {
        while (!changes.isEmpty() && changes.lastKey().lsn() > endLsn) {
            Map.Entry<KeyedVersion, Change> last = changes.pollLastEntry();
            dropped(last.getKey(), last.getValue());
        }
    }

    private void dropOtherParts() {
        Iterator<Map.Entry<KeyedVersion, Change>> entries = changes.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<KeyedVersion, Change> entry = entries.next();
            if (!part.has(entry.getKey())) {
                dropped(entry.getKey(), entry.getValue());
                entries.remove();
            }
        }
    }

    private void dropped(KeyedVersion at, Change change) {
        bytes -= at.memoryBytes() + change.rowBytes();
        openEnds -= change.isOpenEnd() ? 1 : 0;
        unknown -= change.isBeforeUnknown ? 1 : 0;
    }

    /** Removes and returns a change that is ready before all are added; null: there is none. */
    @Nullable Entry pollReady() {
        return ready.poll();
    }

    /**
     * Removes and returns the first change, once all changes of the window or part are added; null:
     * there is none.
     */
    @Nullable Entry poll() {
        Map.Entry<KeyedVersion, Change> first = changes.pollFirstEntry();
        return first == null ? null : new Entry(first.getKey().lsn(), first.getValue());
    }

    /** Moves to the next part or window, once all changes are returned; false: there is none. */
    boolean advance() {
        bytes = 0;
        openEnds = 0;
        unknown = 0;
        hasFirstSide = false;
        if (mustBeginAgain) {
            mustBeginAgain = false;
            return true;
        }
        if (!partsLeft.isEmpty()) {
            part = partsLeft.pop();
            return true;
        }
        part = Part.ALL;
        if (order == Order.BY_LSN_AND_KEY) {
            length = hasShrunk ? times(2, endLsn - fromLsn) : times(4, length);
        }
        order = Order.BY_LSN_AND_KEY;
        hasShrunk = false;
        fromLsn = endLsn;
        endLsn = lastLsn - fromLsn <= length ? lastLsn : fromLsn + length;
        return fromLsn < lastLsn;
    }

    private static long times(long factor, long lsns) {
        return lsns > Long.MAX_VALUE / factor ? Long.MAX_VALUE : factor * lsns;
    }

    /** A change to be returned. */
    record Entry(long lsn, Change change) {}

    /** The change of one key at one LSN. */
    static final class Change {
        private @Nullable KeyedVersion before;
        private @Nullable KeyedVersion after;
        private boolean isBeforeUnknown;

        /** The row before, a tombstone if it is not to be shown; null: there was none. */
        @Nullable KeyedVersion before() {
            return before;
        }

        /** The row after, a tombstone if it is not to be shown; null: there is none. */
        @Nullable KeyedVersion after() {
            return after;
        }

        private boolean isOpenEnd() {
            return before != null && after == null && !isBeforeUnknown;
        }

        private int rowBytes() {
            return (before == null ? 0 : before.memoryBytes())
                    + (after == null ? 0 : after.memoryBytes());
        }
    }
}
