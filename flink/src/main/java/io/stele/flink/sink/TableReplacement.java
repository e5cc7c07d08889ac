package io.stele.flink.sink;

import io.stele.client.BulkWriter;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.flink.table.RowValues;
import io.stele.protocol.schema.TableSchema;
import org.apache.flink.table.data.RowData;

/** A staged table that takes the place of the present one. It may be of any size. */
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
    public void renew() {} // a staged table lives as long as the sidecar

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
