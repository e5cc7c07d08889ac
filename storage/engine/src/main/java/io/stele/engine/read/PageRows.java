package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.KeyedVersion;
import java.util.ArrayList;
import java.util.List;

/**
 * The collector of the rows of one page of a scan by key, as many as its limits and its memory have
 * room for. Confined to one thread at a time.
 */
final class PageRows {
    /** The most bytes that a reply adds to a row. */
    private static final int ROW_OVERHEAD_BYTES = 8;

    private final KeyRangeLimits limits;
    private final RowRoom room;
    private final List<byte[]> rows = new ArrayList<>();
    private long rowBytes;
    private long roomBytes;
    private long neededBytes;
    private long versionsRead;
    private boolean isFull;

    PageRows(KeyRangeLimits limits, RowRoom room) {
        this.limits = requireNonNull(limits, "limits is null");
        this.room = requireNonNull(room, "room is null");
        this.roomBytes = room.grow(0);
    }

    /** Adds a row; false if there is no room for it, and the page is full. */
    boolean take(KeyedVersion version) {
        isFull = !tryTake(version);
        return !isFull;
    }

    private boolean tryTake(KeyedVersion version) {
        long bytes = rowBytes + version.rowLength() + ROW_OVERHEAD_BYTES;
        if (!rows.isEmpty() && (rows.size() == limits.rows() || bytes > limits.bytes())) {
            return false;
        }
        if (bytes > roomBytes) {
            roomBytes = room.grow(bytes);
            if (bytes > roomBytes) {
                neededBytes = rows.isEmpty() ? bytes : 0;
                return false;
            }
        }
        rows.add(version.row());
        rowBytes = bytes;
        return true;
    }

    /** Drops all rows. */
    void clear() {
        rows.clear();
        rowBytes = 0;
        neededBytes = 0;
        isFull = false;
    }

    /** The most rows that are of use now: those that are wanted, and one that tells of more. */
    int usefulRows() {
        return limits.rows() - rows.size() + 1;
    }

    /** The bytes for which there was room so far; more may be found for the next row. */
    long roomBytes() {
        return roomBytes;
    }

    /** Whether a row was refused. */
    boolean isFull() {
        return isFull;
    }

    List<byte[]> rows() {
        return rows;
    }

    /** The bytes of the first row, if there was no room even for it; else 0. */
    long neededBytes() {
        return neededBytes;
    }

    /** Counts a version that was read, whether or not it is a row of the page. */
    void countVersion() {
        versionsRead++;
    }

    long versionsRead() {
        return versionsRead;
    }
}
