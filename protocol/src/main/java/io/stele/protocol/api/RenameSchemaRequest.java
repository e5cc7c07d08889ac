package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/** Gives a schema another name, and with it all that is in it. */
public record RenameSchemaRequest(String schemaName, String newName) {
    public RenameSchemaRequest {
        requireNonNull(schemaName, "schemaName is null");
        requireNonNull(newName, "newName is null");
    }
}
