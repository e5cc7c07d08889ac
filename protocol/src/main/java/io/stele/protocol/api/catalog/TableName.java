package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

/** The qualified name of a table or view: schema and name. */
public record TableName(String schemaName, String tableName) {
    public TableName {
        requireNonNull(schemaName, "schemaName is null");
        requireNonNull(tableName, "tableName is null");
    }

    @Override
    public String toString() {
        return schemaName + "." + tableName;
    }
}
