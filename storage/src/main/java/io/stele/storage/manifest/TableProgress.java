package io.stele.storage.manifest;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;

/**
 * How far one table of a shard is in files.
 *
 * @param flushedLsn every write of the table at or below is in the manifest's files: replay starts
 *     above
 * @param nextRowId the next row id of a table without primary key, as of {@code flushedLsn}
 * @param historyLsn versions that ended at or below may be missing in the files: no reader may come
 *     with a lower LSN
 */
public record TableProgress(
        @JsonProperty("tableId") TableId tableId,
        @JsonProperty("flushedLsn") Lsn flushedLsn,
        @JsonProperty("nextRowId") long nextRowId,
        @JsonProperty("historyLsn") Lsn historyLsn) {
    public TableProgress {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(flushedLsn, "flushedLsn is null");
        historyLsn = requireNonNullElse(historyLsn, Lsn.MIN); // absent in the first manifests
        if (nextRowId < 0) {
            throw new IllegalArgumentException(
                    "Expected a next row id >= 0, found " + nextRowId + " for table " + tableId);
        }
    }
}
