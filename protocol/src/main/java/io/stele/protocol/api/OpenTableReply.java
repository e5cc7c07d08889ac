package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/**
 * A table and an open read point.
 *
 * @param table as it is at the read point or later, so that reads of both agree
 */
public record OpenTableReply(TableDescription table, ReadPointReply readPoint) {
    public OpenTableReply {
        requireNonNull(table, "table is null");
        requireNonNull(readPoint, "readPoint is null");
    }
}
