package io.stele.storage.format;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Walks a key index by key, or leaps forward to keys that come sorted, as a batch of upserts does.
 * Starts before the first entry; what it shows is valid until it moves. Confined to one thread.
 */
public final class KeyIndexCursor {
    private final SortedFileReader file;
    private final boolean explicit;
    private int nextBlock;
    private @Nullable EntryCursor entries;

    KeyIndexCursor(SortedFileReader file, boolean explicit) {
        this.file = file;
        this.explicit = explicit;
    }

    /** Moves to the next entry; false at the end. */
    public boolean advance() throws IOException {
        EntryCursor current = entries;
        if (current != null && current.next()) {
            return true;
        }
        if (nextBlock >= file.blockCount()) {
            return false;
        }
        return enter(nextBlock).next();
    }

    /**
     * Moves to the first entry at or after {@code key}, forward or backward; false if there is
     * none.
     */
    public boolean seek(byte[] key) throws IOException {
        int block = file.findBlock(key);
        if (block == file.blockCount()) {
            nextBlock = block;
            entries = null;
            return false;
        }
        EntryCursor current = entries;
        return (current != null && block == nextBlock - 1 ? current : enter(block)).seek(key);
    }

    /** The buffer of the current key: valid up to {@link #keyLength()}. */
    public byte[] keyArray() {
        return current().keyArray();
    }

    public int keyLength() {
        return current().keyLength();
    }

    /** A copy of the current key. */
    public byte[] key() {
        return Arrays.copyOf(current().keyArray(), current().keyLength());
    }

    public boolean keyEquals(byte[] other) {
        return current().keyEquals(other);
    }

    /** The ordinal of the current key's row in the column file. */
    public int ordinal() {
        return KeyIndexReader.ordinal(file, explicit, nextBlock - 1, current());
    }

    private EntryCursor enter(int block) throws IOException {
        EntryBlock content = file.uncachedBlock(block);
        nextBlock = block + 1;
        EntryCursor current = entries;
        if (current == null) {
            current = new EntryCursor(content);
            entries = current;
        } else {
            current.reset(content);
        }
        return current;
    }

    private EntryCursor current() {
        EntryCursor current = entries;
        if (current == null) {
            throw new IllegalStateException(
                    "Expected a cursor on an entry, found it before the first or after the last");
        }
        return current;
    }
}
