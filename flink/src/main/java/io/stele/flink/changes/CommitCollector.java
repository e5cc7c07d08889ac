package io.stele.flink.changes;

import io.stele.protocol.Lsn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;

/**
 * Commits of a shard on their way into chunks. A commit is held back until it is whole, so that it
 * can be asked for again; one that is larger than that is passed on in parts. Confined to one
 * thread.
 *
 * <p>Invariant: {@code wholeRows <= rows.size()}; the rows behind them are of a commit that has
 * begun.
 */
final class CommitCollector implements ShardFeed.Consumer {
    /** About a row's objects, beside its bytes. */
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
     * A collector.
     *
     * @param position everything up to here has been passed on
     * @param maxBytes of a chunk, and of a commit that is held back
     * @param chunks takes chunks; what it throws leaves the collector unusable
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

    /** The commit is whole. */
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
     * The commit will be asked for again.
     *
     * @return false: a part of it has been passed on, so it cannot
     */
    boolean dropCommit() {
        rows.subList(wholeRows, rows.size()).clear();
        sizeBytes = wholeBytes;
        return !isInParts;
    }

    /** Whether there is enough for a chunk. */
    boolean isFull() {
        return wholeBytes >= maxBytes;
    }

    /** Passes on the commits that are whole. */
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
