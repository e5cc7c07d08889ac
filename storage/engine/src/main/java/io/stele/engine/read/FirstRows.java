package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The rows of the first keys of a lookup, of as many keys as there is room for, while rows are
 * found in any order. Where a row finds no room, those of the last keys make some, and are no
 * longer asked for, unless the room wants to know how many bytes all rows have. Not thread safe.
 *
 * <p>Invariant: the rows come to no more bytes than the room has.
 */
final class FirstRows implements PointReads.Finder {
    private final RowRoom room;
    private final List<Optional<byte[]>> rows;
    private int end; // behind the last key that is asked for
    private long bytes;
    private long maxBytes;
    private long foundBytes; // also of rows that are not kept

    FirstRows(int keyCount, RowRoom room) {
        this.room = requireNonNull(room, "room is null");
        this.rows = new ArrayList<>(Collections.nCopies(keyCount, Optional.empty()));
        this.end = keyCount;
        this.maxBytes = room.grow(0);
    }

    @Override
    public boolean isWanted(int index) {
        return index < end || foundBytes <= room.countedBytes();
    }

    @Override
    public void found(int index, byte[] row, long lsn) {
        foundBytes += row.length;
        if (index >= end) {
            return;
        }
        rows.set(index, Optional.of(row));
        bytes += row.length;
        if (bytes > maxBytes && end == rows.size()) {
            maxBytes = room.grow(bytes);
        }
        while (bytes > maxBytes) {
            end--;
            bytes -= rows.set(end, Optional.empty()).map(last -> last.length).orElse(0);
        }
    }

    /**
     * The bytes of all rows where the room counts them and they are no more than it counts; more
     * than that else, or where nothing is counted those of the rows found.
     */
    long neededBytes() {
        return foundBytes;
    }

    /** In the order of the keys; empty: absent. */
    List<Optional<byte[]>> rows() {
        return rows.subList(0, end);
    }
}
