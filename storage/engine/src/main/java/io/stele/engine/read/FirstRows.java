package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A collector of the rows of a lookup's first keys, as many as its memory has room for, while rows
 * are found in any order. If a row does not fit, the rows of the last keys are dropped and no
 * longer requested, unless the room counts the bytes of all rows. Not thread-safe.
 *
 * <p>Invariant: the rows have no more bytes than the room.
 */
final class FirstRows implements PointReads.Finder {
    private final RowRoom room;
    private final List<Optional<byte[]>> rows;
    private int end; // behind the last key that is requested
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
     * The bytes of all rows, if they are at most {@link RowRoom#countedBytes}. Otherwise a number
     * above it, or, if nothing is counted, the bytes of the found rows.
     */
    long neededBytes() {
        return foundBytes;
    }

    /** The rows in the order of the keys; empty: absent. */
    List<Optional<byte[]>> rows() {
        return rows.subList(0, end);
    }
}
