package io.stele.protocol.api.catalog;

import java.util.List;

/** All schemas by name. */
public record ListSchemasReply(List<String> schemaNames) {
    public ListSchemasReply {
        schemaNames = List.copyOf(schemaNames);
    }
}
