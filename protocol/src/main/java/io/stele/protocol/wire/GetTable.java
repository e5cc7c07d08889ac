package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

/**
 * The payload of a GET_TABLE frame, a request for the description of a table by name: {@code schema
 * text | table text}. The reply's payload is a TableDescription as JSON.
 */
public record GetTable(String schemaName, String tableName) {
    public GetTable {
        requireNonNull(schemaName, "schemaName is null");
        requireNonNull(tableName, "tableName is null");
    }

    public byte[] encode() {
        return new PayloadWriter(64)
                .putText("schema name", schemaName)
                .putText("table name", tableName)
                .toByteArray();
    }

    public static GetTable decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.GET_TABLE, frame);
        GetTable message =
                new GetTable(reader.getText("schema name"), reader.getText("table name"));
        reader.end();
        return message;
    }
}
