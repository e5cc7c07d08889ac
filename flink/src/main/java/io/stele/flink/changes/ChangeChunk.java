package io.stele.flink.changes;

import io.stele.protocol.Lsn;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * Changes of a shard on their way from the fetcher to the task: whole commits, or a part of one
 * that is too large to be held back. Not changed after it was made.
 *
 * @param lsns those of the rows, in the same order
 * @param isWhole whether the last commit ends with the chunk; else the next chunk goes on with it
 * @param position everything up to here has been passed on with the chunk, if it ends a commit
 * @param sizeBytes about the memory of it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ChangeChunk(
        int shard,
        List<RowData> rows,
        long[] lsns,
        boolean isWhole,
        Lsn position,
        long sizeBytes) {}
