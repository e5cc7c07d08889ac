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
 * A cursor over the retained rows of one input file of a {@link ColumnMerge}, with the row's key
 * from the key index or row id. Confined to one thread.
 */
final class ColumnMergeSource {
    private final int number;
    private final int source;
    private final ColumnFile file;
    private final ColumnBatches rows;
    private final @Nullable KeyIndexCursor keys;
    private final RetainedRows retained;
    private final BeforeMove beforeMove;
    private final PeekableIntIterator ended; // a snapshot; later marks are carried over
    private int nextEnded;
    private int position = -1;
    private byte[] key = new byte[0];
    private int keyLength;
    private long prefix;
    private long lsn;
    private long endLsn;

    /**
     * @param number index among the inputs of the compaction
     * @param source index among the inputs that are read
     * @param keys the keys of the rows, positioned before the first row; null: keys are made of row
     *     ids
     * @param beforeMove called before the present batch of rows is replaced
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

    /** A callback before the present batch of rows is replaced. */
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

    /** An array that starts with the key; its length is {@link #keyLength}. */
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

    /** Orders by key, and versions of one key newest first. */
    int compareTo(ColumnMergeSource other) {
        if (prefix != other.prefix) {
            return Long.compareUnsigned(prefix, other.prefix);
        }
        int byKey = Arrays.compareUnsigned(key, 0, keyLength, other.key, 0, other.keyLength);
        return byKey != 0 ? byKey : Long.compare(other.lsn, lsn);
    }
}
