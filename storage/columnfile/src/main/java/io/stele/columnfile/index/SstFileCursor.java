package io.stele.columnfile.index;

import io.stele.columnfile.bytes.LittleEndian;
import java.io.IOException;

/**
 * A cursor over the row versions of an SST file, by key ascending, then LSN descending, for scans
 * and compactions of row tablets. It starts before the first; the present version is valid until it
 * moves. Confined to one thread.
 */
public final class SstFileCursor {
    private final String path;
    private final SortedFileCursor file;
    private final long ingestLsn;

    /**
     * @param ingestLsn of all versions; negative: each has that stored with it
     */
    SstFileCursor(String path, SortedFileCursor file, long ingestLsn) {
        this.path = path;
        this.file = file;
        this.ingestLsn = ingestLsn;
    }

    /** Moves to the next version; false at the end. */
    public boolean advance() throws IOException {
        return file.advance() && checked();
    }

    /**
     * Moves to the first version of the first key at or after {@code key}; false if there is none.
     */
    public boolean seek(byte[] key) throws IOException {
        return file.seek(key) && checked();
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

    public long lsn() {
        if (ingestLsn >= 0) {
            return ingestLsn;
        }
        EntryCursor entry = file.entry();
        return LittleEndian.getLong(entry.valueArray(), entry.valueOffset());
    }

    public boolean deleted() {
        EntryCursor entry = file.entry();
        return SstFileWriter.isDeleted(entry.valueArray(), entry.valueOffset());
    }

    /**
     * The array that holds the current row, from {@link #rowOffset()} for {@link #rowLength()}
     * bytes.
     */
    public byte[] rowArray() {
        return file.entry().valueArray();
    }

    public int rowOffset() {
        return file.entry().valueOffset() + SstFileWriter.VALUE_HEADER;
    }

    /** 0 if the version is a deletion. */
    public int rowLength() {
        return file.entry().valueLength() - SstFileWriter.VALUE_HEADER;
    }

    private boolean checked() {
        EntryCursor entry = file.entry();
        SstFileReader.checkValue(path, entry.fileOffset(), entry.valueLength());
        return true;
    }
}
