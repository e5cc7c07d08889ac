package io.stele.connector.write;

import io.stele.connector.type.RowWriter;
import io.stele.protocol.api.PutMode;
import io.stele.protocol.api.PutTarget;
import io.stele.protocol.api.WrittenFile;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.row.BinaryRow;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import java.util.List;
import java.util.Optional;

/** Sends rows to the sidecar, which routes them and logs them with the commit. */
final class StagedSink implements RowSink {
    private final RowWriter writer;
    private final BinaryRow row;
    private final StagedRows rows;

    StagedSink(WriteContext context) {
        this.writer = new RowWriter(context.columns(), context.types());
        this.row = new BinaryRow(writer.layout());
        List<ArrowField> fields = ArrowSchemas.fields(context.columns());
        this.rows =
                new StagedRows(
                        context.sidecar(),
                        PutTarget.staged(
                                context.table().id(),
                                mode(context),
                                context.handle().transactionId(),
                                Optional.empty(),
                                context.part()),
                        fields,
                        ArrowBatchEncoder.forRows(fields, writer.layout()));
    }

    private static PutMode mode(WriteContext context) {
        if (!context.table().hasPrimaryKey()) {
            return PutMode.APPEND;
        }
        return switch (context.handle().existing()) {
            case REPLACE -> PutMode.UPSERT;
            case FAIL -> PutMode.INSERT;
            case IGNORE -> PutMode.INSERT_IF_ABSENT;
        };
    }

    @Override
    public void append(Page page) {
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        for (int position = 0; position < page.getPositionCount(); position++) {
            int length = writer.write(blocks, position);
            rows.encoder().append(row.wrap(writer.array(), 0, length));
            rows.rowAppended();
        }
    }

    @Override
    public long retainedBytes() {
        return rows.retainedBytes();
    }

    @Override
    public long writtenBytes() {
        return rows.sentBytes();
    }

    @Override
    public List<WrittenFile> finish() {
        rows.finish();
        return List.of();
    }

    @Override
    public void abort() {
        rows.close();
    }
}
