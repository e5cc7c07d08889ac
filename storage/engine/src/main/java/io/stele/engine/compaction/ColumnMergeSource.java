package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.KeyIndexCursor;
import io.stele.columnfile.orc.ColumnBatches;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RetainedRows;
import io.stele.engine.row.RetainedVersions;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.KeyEncoder;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.PeekableIntIterator;

/**
 * An input of a {@link ColumnMerge}: the place of its next row, with its key, from the key index or
 * made of its row id. Confined to one thread.
 */
final class ColumnMergeSource {
    private final int number;
    private final int source;
    private final ColumnFile file;
    private final ColumnBatches rows;
    private final @Nullable KeyIndexCursor keys;
    private final RetainedRows retained;
    private final BeforeMove beforeMove;
    private final PeekableIntIterator ended; // as it is now; what ends later is carried over
    private int nextEnded;
    private int position = -1;
    private byte[] key = new byte[0];
    private int keyLength;
    private long prefix;
    private long lsn;
    private long endLsn;

    /**
     * @param number among the inputs of the compaction
     * @param source among those that are read
     * @param keys of the rows, before the first; null: they are made of row ids
     * @param beforeMove what has to be done before the batch of rows is gone
     */
    ColumnMergeSource(
            int number,
            int source,
            ColumnFile file,
            ColumnBatches rows,
            @Nullable KeyIndexCursor keys,
            RetainedRows retained,
            BeforeMove beforeMove) {
        this.number = number;
        this.source = source;
        this.file = requireNonNull(file, "file is null");
        this.rows = requireNonNull(rows, "rows is null");
        this.keys = keys;
        this.retained = requireNonNull(retained, "retained is null");
        this.beforeMove = requireNonNull(beforeMove, "beforeMove is null");
        this.ended = file.deletes().bitmapAt(Long.MAX_VALUE).getIntIterator();
        this.nextEnded = nextEnded();
    }

    /** Called before a batch is gone. */
    @FunctionalInterface
    interface BeforeMove {
        void run() throws IOException;
    }

    /** Moves to the next retained row; false at the end. */
    boolean advance() throws IOException {
        while (true) {
            position++;
            if (position == rows.size()) {
                beforeMove.run();
                if (!rows.advance()) {
                    return false;
                }
                position = 0;
            }
            if (keys != null && !keys.advance()) {
                throw new SteleException(
                        ErrorCode.CORRUPT_DATA,
                        "Expected a key for each row of %s, found none for row %d"
                                .formatted(file.entry().path(), ordinal()));
            }
            endLsn = RetainedVersions.PRESENT;
            if (ordinal() == nextEnded) {
                endLsn = file.deletes().deletedAt(nextEnded);
                nextEnded = nextEnded();
            }
            lsn = rows.lsn(position);
            if (retained.contains(lsn, endLsn)) {
                loadKey();
                return true;
            }
        }
    }

    private int nextEnded() {
        return ended.hasNext() ? ended.next() : -1;
    }

    private void loadKey() {
        if (keys == null) {
            key = KeyEncoder.rowIdKey(rows.rowId(position));
            keyLength = key.length;
        } else {
            key = keys.keyArray();
            keyLength = keys.keyLength();
        }
        prefix = KeyedVersion.prefix(key, 0, keyLength);
    }

    int number() {
        return number;
    }

    int source() {
        return source;
    }

    int position() {
        return position;
    }

    int ordinal() {
        return rows.firstOrdinal() + position;
    }

    /** The key's bytes, and others behind them. */
    byte[] key() {
        return key;
    }

    int keyLength() {
        return keyLength;
    }

    /** The LSN from which the row is not visible; {@link RetainedVersions#PRESENT} if it is. */
    long endLsn() {
        return endLsn;
    }

    /** By key, of equal ones the newest version first. */
    int compareTo(ColumnMergeSource other) {
        if (prefix != other.prefix) {
            return Long.compareUnsigned(prefix, other.prefix);
        }
        int byKey = Arrays.compareUnsigned(key, 0, keyLength, other.key, 0, other.keyLength);
        return byKey != 0 ? byKey : Long.compare(other.lsn, lsn);
    }
}
