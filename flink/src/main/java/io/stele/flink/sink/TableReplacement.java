package io.stele.flink.sink;

import io.stele.client.BulkWriter;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.flink.table.RowValues;
import io.stele.protocol.schema.TableSchema;
import org.apache.flink.table.data.RowData;

/**
 * A replacement of all rows of a table, as a {@link StagedTable} filled by bulk load. It may be of
 * any size. Owns the staged table until it is published or discarded.
 */
final class TableReplacement implements Replacement {
    private final StagedTable staged;
    private final BulkWriter writer;
    private final RowValues values;

    TableReplacement(SinkTarget target, SteleClient client) {
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

    @Override
    public void add(RowData row) {
        writer.write(values.of(row));
    }

    @Override
    public void renew() {} // a staged table does not expire while the sidecar runs

    @Override
    public void publish() {
        writer.close();
        staged.publish();
    }

    @Override
    public void discard() {
        staged.drop();
    }
}
