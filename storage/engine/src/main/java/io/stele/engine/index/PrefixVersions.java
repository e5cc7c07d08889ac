package io.stele.engine.index;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.SstFileCursor;
import io.stele.engine.row.KeyedVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over the entries of an SST file whose keys begin with a prefix, which reads the file
 * as it advances. Confined to one thread.
 */
public final class PrefixVersions implements Iterator<KeyedVersion> {
    private final SstFileCursor cursor;
    private final byte[] prefix;
    private @Nullable KeyedVersion next;

    public PrefixVersions(SstFileCursor cursor, byte[] prefix) throws IOException {
        this.cursor = requireNonNull(cursor, "cursor is null");
        this.prefix = requireNonNull(prefix, "prefix is null");
        this.next = cursor.seek(prefix) ? current() : null;
    }

    @Override
    public boolean hasNext() {
        return next != null;
    }

    /**
     * @throws UncheckedIOException when the file cannot be read
     */
    @Override
    public KeyedVersion next() {
        KeyedVersion result = next;
        if (result == null) {
            throw new NoSuchElementException("No entry left");
        }
        try {
            next = cursor.advance() ? current() : null;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return result;
    }

    private @Nullable KeyedVersion current() {
        byte[] key = cursor.key();
        KeyedVersion entry = KeyedVersion.live(key, 0, key.length, cursor.lsn(), key, 0, 0);
        return entry.startsWith(prefix) ? entry : null;
    }
}
