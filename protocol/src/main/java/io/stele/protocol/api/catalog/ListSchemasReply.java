package io.stele.protocol.api.catalog;

import java.util.List;

/** The reply to a request for all schemas: their names, in order. */
public record ListSchemasReply(List<String> schemaNames) {
    public ListSchemasReply {
        schemaNames = List.copyOf(schemaNames);
    }
}
