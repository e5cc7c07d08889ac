package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.catalog.TableDescription;
import java.util.List;

/**
 * A table as of a past LSN, and an open snapshot.
 *
 * @param table with the column names and order of that time, under the present schema version
 * @param goneColumns ids of columns in it that were dropped since, and cannot be read
 */
public record OpenVersionReply(
        TableDescription table, SnapshotReply snapshot, List<Integer> goneColumns) {
    public OpenVersionReply {
        requireNonNull(table, "table is null");
        requireNonNull(snapshot, "snapshot is null");
        goneColumns = List.copyOf(goneColumns);
    }
}
