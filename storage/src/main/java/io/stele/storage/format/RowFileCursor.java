package io.stele.storage.format;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Walks the versions of a row file: key ascending, then LSN descending. Starts before the first;
 * what it shows is valid until it moves. Confined to one thread.
 */
public final class RowFileCursor {
    private final SortedFileReader file;
    private final boolean cached;
    private int nextBlock;
    private @Nullable EntryCursor entries;

    RowFileCursor(SortedFileReader file, boolean cached) {
        this.file = file;
        this.cached = cached;
    }

    /** Moves to the next version; false at the end. */
    public boolean advance() throws IOException {
        EntryCursor current = entries;
        boolean found = current != null && current.next();
        if (!found) {
            if (nextBlock >= file.blockCount()) {
                return false;
            }
            current = enter(nextBlock);
            found = current.next();
        }
        checkValue(file.path(), current());
        return found;
    }

    /**
     * Moves to the first version of the first key at or after {@code key}; false if there is none.
     */
    public boolean seek(byte[] key) throws IOException {
        int block = file.findBlock(key);
        if (block == file.blockCount()) {
            nextBlock = block;
            entries = null;
            return false;
        }
        // The block's last key is at or after the key, so the entry is in this block.
        boolean found = enter(block).seek(key);
        if (found) {
            checkValue(file.path(), current());
        }
        return found;
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

    public long lsn() {
        return lsn(current());
    }

    public boolean deleted() {
        return deleted(current());
    }

    /**
     * The array that holds the current row, from {@link #rowOffset()} for {@link #rowLength()}
     * bytes.
     */
    public byte[] rowArray() {
        return current().valueArray();
    }

    public int rowOffset() {
        return current().valueOffset() + RowFileWriter.VALUE_HEADER;
    }

    /** 0 if the version is a deletion. */
    public int rowLength() {
        return current().valueLength() - RowFileWriter.VALUE_HEADER;
    }

    static long lsn(EntryCursor entries) {
        return LittleEndian.getLong(entries.valueArray(), entries.valueOffset());
    }

    static boolean deleted(EntryCursor entries) {
        return (entries.valueArray()[entries.valueOffset() + 8] & RowFileWriter.FLAG_DELETED) != 0;
    }

    static void checkValue(String path, EntryCursor entries) {
        if (entries.valueLength() < RowFileWriter.VALUE_HEADER) {
            throw Corruption.mismatch(
                    path,
                    entries.fileOffset(),
                    "row value of at least",
                    RowFileWriter.VALUE_HEADER + " bytes",
                    entries.valueLength());
        }
    }

    private EntryCursor enter(int block) throws IOException {
        EntryBlock content = cached ? file.block(block) : file.uncachedBlock(block);
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
                    "Expected a cursor on a version, found it before the first or after the last");
        }
        return current;
    }
}
