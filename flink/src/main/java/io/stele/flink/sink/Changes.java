package io.stele.flink.sink;

import java.io.IOException;
import org.apache.flink.table.data.RowData;

/** The error for changes that a table without a primary key cannot take. */
final class Changes {
    private Changes() {}

    static IOException refused(SinkTarget target, RowData row) {
        return new IOException(
                "Expected inserted rows only for table %s of Stele, which has no primary key, found a row of kind %s"
                        .formatted(target.table(), row.getRowKind()));
    }
}
