package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.List;

/**
 * The flush progress of one table of a shard in the manifest, from which recovery starts.
 *
 * @param flushedLsn every write of the table at or below this LSN is in the manifest's files;
 *     replay starts above it
 * @param nextRowId the next row id of a table without primary key, as of {@code flushedLsn}
 * @param historyLsn versions that became obsolete at or below this LSN may be missing in the files;
 *     no reader may use a lower LSN
 * @param ends range tombstones at or below {@code flushedLsn} that are not yet applied in some SST
 *     file ({@link FileEntry#endsLsn}); by LSN
 */
public record TableProgress(
        @JsonProperty("tableId") TableId tableId,
        @JsonProperty("flushedLsn") Lsn flushedLsn,
        @JsonProperty("nextRowId") long nextRowId,
        @JsonProperty("historyLsn") Lsn historyLsn,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("ends")
                List<RangeTombstone> ends) {
    public TableProgress {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(flushedLsn, "flushedLsn is null");
        historyLsn = requireNonNullElse(historyLsn, Lsn.MIN); // absent in the first manifests
        ends = List.copyOf(requireNonNullElse(ends, List.of()));
        if (nextRowId < 0) {
            throw new IllegalArgumentException(
                    "Expected a next row id >= 0, found " + nextRowId + " for table " + tableId);
        }
    }

    TableProgress withHistory(Lsn newHistoryLsn) {
        return new TableProgress(tableId, flushedLsn, nextRowId, newHistoryLsn, ends);
    }

    TableProgress withEnds(List<RangeTombstone> newEnds) {
        return new TableProgress(tableId, flushedLsn, nextRowId, historyLsn, newEnds);
    }
}
