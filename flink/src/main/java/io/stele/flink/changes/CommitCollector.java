package io.stele.flink.changes;

import io.stele.protocol.Lsn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;

/**
 * A collector of a shard's changes into chunks of whole commits. An incomplete commit is buffered,
 * so that it can be requested again; a larger one is passed on in parts. Confined to one thread.
 *
 * <p>Invariant: {@code wholeRows <= rows.size()}; the rows after them belong to an incomplete
 * commit.
 */
final class CommitCollector implements ShardFeed.Consumer {
    /** Approximate memory of a row's objects, beside its bytes. */
    private static final int ROW_BYTES = 100;

    private final int shard;
    private final long maxBytes;
    private final Consumer<ChangeChunk> chunks;
    private List<RowData> rows = new ArrayList<>();
    private long[] lsns = new long[16];
    private long sizeBytes;
    private int wholeRows;
    private long wholeBytes;
    private Lsn position;
    private boolean isInParts;

    /**
     * A collector of one shard.
     *
     * @param position every change up to here has been passed on
     * @param maxBytes most bytes of a chunk, and of a buffered commit
     * @param chunks takes the chunks; if it throws, the collector is unusable
     */
    CommitCollector(int shard, Lsn position, long maxBytes, Consumer<ChangeChunk> chunks) {
        this.shard = shard;
        this.position = position;
        this.maxBytes = maxBytes;
        this.chunks = chunks;
    }

    @Override
    public void accept(RowData row, Lsn lsn, int rowBytes) {
        if (sizeBytes >= maxBytes) {
            if (wholeRows > 0) {
                flush();
            }
            if (sizeBytes >= maxBytes) {
                isInParts = true;
                pass(rows.size(), false, sizeBytes);
            }
        }
        if (rows.size() == lsns.length) {
            lsns = Arrays.copyOf(lsns, 2 * lsns.length);
        }
        lsns[rows.size()] = lsn.value();
        rows.add(row);
        sizeBytes += rowBytes + ROW_BYTES;
    }

    /** Ends a commit: all its changes were added. */
    void endCommit(Lsn reached) {
        position = reached;
        if (isInParts) {
            isInParts = false;
            pass(rows.size(), true, sizeBytes);
        } else {
            wholeRows = rows.size();
            wholeBytes = sizeBytes;
        }
    }

    /**
     * Drops the incomplete commit, which will be requested again.
     *
     * @return false: a part of it has been passed on, so it cannot be requested again
     */
    boolean dropCommit() {
        rows.subList(wholeRows, rows.size()).clear();
        sizeBytes = wholeBytes;
        return !isInParts;
    }

    /** Whether the complete commits fill a chunk. */
    boolean isFull() {
        return wholeBytes >= maxBytes;
    }

    /** Passes on the complete commits. */
    void flush() {
        if (wholeRows > 0) {
            pass(wholeRows, true, wholeBytes);
        }
    }

    private void pass(int count, boolean isWhole, long bytes) {
        List<RowData> passed = rows.subList(0, count);
        List<RowData> rest = new ArrayList<>(rows.subList(count, rows.size()));
        long[] restLsns = Arrays.copyOfRange(lsns, count, Math.max(count + 16, rows.size()));
        ChangeChunk chunk =
                new ChangeChunk(
                        shard, passed, Arrays.copyOf(lsns, count), isWhole, position, bytes);
        rows = rest;
        lsns = restLsns;
        sizeBytes -= bytes;
        wholeRows = 0;
        wholeBytes = 0;
        chunks.accept(chunk);
    }
}
