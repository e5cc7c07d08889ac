package io.stele.protocol.api.catalog;

import java.util.List;

/** Tables by name. */
public record ListTablesReply(List<TableName> tables) {
    public ListTablesReply {
        tables = List.copyOf(tables);
    }
}
