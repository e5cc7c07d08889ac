package io.stele.protocol.api.catalog;

import java.util.List;

/** The reply to a request for tables: their names, in order. */
public record ListTablesReply(List<TableName> tables) {
    public ListTablesReply {
        tables = List.copyOf(tables);
    }
}
