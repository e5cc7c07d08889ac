package io.stele.flink.changes;

import io.stele.protocol.Lsn;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * A chunk of one shard's changes on its way from the fetcher to the task: whole commits, or a part
 * of one that is too large to buffer. Immutable after construction.
 *
 * @param lsns the LSNs of the rows, in the same order
 * @param isWhole whether the last commit ends with the chunk; otherwise the next chunk continues it
 * @param position if the chunk ends a commit: every change up to here has been emitted with it
 * @param sizeBytes approximate memory of the chunk
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ChangeChunk(
        int shard,
        List<RowData> rows,
        long[] lsns,
        boolean isWhole,
        Lsn position,
        long sizeBytes) {}
