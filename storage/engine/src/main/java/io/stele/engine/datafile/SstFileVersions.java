package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.SstFileCursor;
import io.stele.engine.row.KeyedVersion;
import io.stele.protocol.row.RowMapping;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over the versions in an SST file, which reads the file as it advances; keys and rows
 * are copied out of the blocks. Confined to one thread.
 */
public final class SstFileVersions implements Iterator<KeyedVersion> {
    private final SstFileCursor cursor;
    private final RowMapping.@Nullable Mapper mapper;
    private boolean ready;
    private boolean ended;

    /** An iterator over rows as they are stored. */
    public SstFileVersions(SstFileCursor cursor) {
        this(cursor, null, false);
    }

    /**
     * @param mapper of rows to another schema version; null: rows as they are stored
     * @param isOnFirst whether the cursor is on the first version already, not before it
     */
    SstFileVersions(SstFileCursor cursor, RowMapping.@Nullable Mapper mapper, boolean isOnFirst) {
        this.cursor = requireNonNull(cursor, "cursor is null");
        this.mapper = mapper;
        this.ready = isOnFirst;
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
        byte[] row =
                mapper == null
                        ? Arrays.copyOfRange(cursor.rowArray(), from, from + cursor.rowLength())
                        : mapper.map(cursor.rowArray(), from, cursor.rowLength());
        return KeyedVersion.live(key, 0, key.length, cursor.lsn(), row, 0, row.length);
    }
}
