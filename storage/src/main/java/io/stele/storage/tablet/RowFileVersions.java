package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.storage.format.RowFileCursor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The versions of a row file as a sequence; keys and rows are copied out of the blocks. Confined to
 * one thread.
 */
public final class RowFileVersions implements Iterator<KeyedVersion> {
    private final RowFileCursor cursor;
    private boolean ready;
    private boolean ended;

    public RowFileVersions(RowFileCursor cursor) {
        this.cursor = requireNonNull(cursor, "cursor is null");
    }

    /**
     * @throws UncheckedIOException when the file cannot be read
     */
    @Override
    public boolean hasNext() {
        if (!ready && !ended) {
            try {
                ready = cursor.advance();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            ended = !ready;
        }
        return ready;
    }

    @Override
    public KeyedVersion next() {
        if (!hasNext()) {
            throw new NoSuchElementException("No version left");
        }
        ready = false;
        byte[] key = cursor.key();
        if (cursor.deleted()) {
            return KeyedVersion.deleted(key, 0, key.length, cursor.lsn());
        }
        int from = cursor.rowOffset();
        byte[] row = Arrays.copyOfRange(cursor.rowArray(), from, from + cursor.rowLength());
        return KeyedVersion.live(key, 0, key.length, cursor.lsn(), row, 0, row.length);
    }
}
