package io.stele.flink.sink;

import io.stele.client.BulkWriter;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.flink.table.RowValues;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * The writer of an {@link OverwriteSink}: rows go into a staged table, which nobody sees, and which
 * takes the place of the present one at the end. Confined to the task's thread.
 */
final class OverwriteWriter implements SinkWriter<RowData> {
    private final SinkTarget target;
    private final SinkWriterMetricGroup metrics;
    private final SteleClient client;
    private @Nullable Replacement replacement;

    OverwriteWriter(SinkTarget target, SinkWriterMetricGroup metrics) {
        this.target = target;
        this.metrics = metrics;
        this.client = target.table().connection().open("flink-overwrite");
    }

    /** The staged table and what writes it. */
    private static final class Replacement {
        private final StagedTable staged;
        private final BulkWriter writer;
        private final RowValues values;

        Replacement(SinkTarget target, SteleClient client) {
            SteleTable present = target.table().open(client);
            this.staged = StagedTable.create(client, present.schema());
            try {
                TableSchema schema = staged.schema();
                this.values = RowValues.whole(target.table(), schema, target.fields());
                this.writer = present.bulkWriter(schema);
            } catch (RuntimeException | Error failed) {
                staged.drop();
                throw failed;
            }
        }
    }

    @Override
    public void write(RowData row, Context context) throws IOException {
        if (row.getRowKind() != RowKind.INSERT) {
            throw new IOException(
                    "Expected inserted rows only to overwrite table %s of Stele, found a row of kind %s"
                            .formatted(target.table(), row.getRowKind()));
        }
        try {
            Replacement open = open();
            open.writer.write(open.values.of(row));
        } catch (SteleException failed) {
            throw failed(failed);
        }
        metrics.getNumRecordsSendCounter().inc();
    }

    private Replacement open() {
        Replacement open = replacement;
        if (open == null) {
            open = new Replacement(target, client);
            replacement = open;
        }
        return open;
    }

    private IOException failed(SteleException failed) {
        metrics.getNumRecordsSendErrorsCounter().inc();
        return new IOException(
                "Cannot overwrite table %s of Stele: %s"
                        .formatted(target.table(), failed.getMessage()),
                failed);
    }

    /** At the end of the rows, of which there may be none, they take the place of all others. */
    @Override
    public void flush(boolean endOfInput) throws IOException {
        if (!endOfInput) {
            return;
        }
        try {
            Replacement open = open();
            open.writer.close();
            open.staged.publish();
            replacement = null;
        } catch (SteleException failed) {
            throw failed(failed);
        }
    }

    @Override
    public void close() {
        try {
            Replacement unpublished = replacement;
            if (unpublished != null) {
                unpublished.staged.drop();
            }
        } finally {
            client.close();
        }
    }
}
