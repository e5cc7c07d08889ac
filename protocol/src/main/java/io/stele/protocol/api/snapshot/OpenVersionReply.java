package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.catalog.TableDescription;
import java.util.List;

/**
 * The reply with a table as of a past LSN, and an open snapshot, for time travel.
 *
 * @param table with the column names and order of that time, under the present schema version
 * @param goneColumns ids of columns of that time that were dropped since then, and cannot be read
 */
public record OpenVersionReply(
        TableDescription table, SnapshotReply snapshot, List<Integer> goneColumns) {
    public OpenVersionReply {
        requireNonNull(table, "table is null");
        requireNonNull(snapshot, "snapshot is null");
        goneColumns = List.copyOf(goneColumns);
    }
}
