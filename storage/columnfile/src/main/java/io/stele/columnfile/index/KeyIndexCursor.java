package io.stele.columnfile.index;

import java.io.IOException;

/**
 * A cursor over a key index in key order, which can also seek, for compactions and for the sorted
 * keys of a batch of upserts. It starts before the first entry; the present entry is valid until it
 * moves. Confined to one thread.
 */
public final class KeyIndexCursor {
    private final SortedFileCursor file;
    private final boolean explicit;

    KeyIndexCursor(SortedFileCursor file, boolean explicit) {
        this.file = file;
        this.explicit = explicit;
    }

    /** Moves to the next entry; false at the end. */
    public boolean advance() throws IOException {
        return file.advance();
    }

    /**
     * Moves to the first entry at or after {@code key}, forward or backward; false if there is
     * none.
     */
    public boolean seek(byte[] key) throws IOException {
        return file.seek(key);
    }

    /** The buffer of the current key: valid up to {@link #keyLength()}. */
    public byte[] keyArray() {
        return file.entry().keyArray();
    }

    public int keyLength() {
        return file.entry().keyLength();
    }

    /** A copy of the current key. */
    public byte[] key() {
        return file.key();
    }

    public boolean keyEquals(byte[] other) {
        return file.entry().keyEquals(other);
    }

    /** The ordinal of the current key's row in the column file. */
    public int ordinal() {
        return KeyIndexReader.ordinal(explicit, file.ordinal(), file.entry().value());
    }
}
