package io.stele.storage.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;

/**
 * How far one table of a shard is in files.
 *
 * @param flushedLsn every write of the table at or below is in the manifest's files: replay starts
 *     above
 * @param nextRowId the next row id of a table without primary key, as of {@code flushedLsn}
 */
public record TableProgress(
        @JsonProperty("tableId") TableId tableId,
        @JsonProperty("flushedLsn") Lsn flushedLsn,
        @JsonProperty("nextRowId") long nextRowId) {
    public TableProgress {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(flushedLsn, "flushedLsn is null");
        if (nextRowId < 0) {
            throw new IllegalArgumentException(
                    "Expected a next row id >= 0, found " + nextRowId + " for table " + tableId);
        }
    }
}
