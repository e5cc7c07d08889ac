package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A table of the past and an open read point.
 *
 * @param table with the names and the order of columns of then, under the schema version of now
 * @param goneColumns ids of columns in it that were dropped since, and cannot be read
 */
public record OpenVersionReply(
        TableDescription table, ReadPointReply readPoint, List<Integer> goneColumns) {
    public OpenVersionReply {
        requireNonNull(table, "table is null");
        requireNonNull(readPoint, "readPoint is null");
        goneColumns = List.copyOf(goneColumns);
    }
}
