package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.connector.error.SteleErrorCode;
import io.stele.connector.type.RowWriter;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.row.BinaryRow;
import io.trino.spi.Page;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A sink that stages rows in the sidecar, which logs them with the commit. The sidecar also routes
 * the rows, unless the sink has one shard for all of them. Confined to one thread.
 */
final class StagedSink implements RowSink {
    private final RowWriter writer;
    private final BinaryRow row;
    private final StagedRows rows;
    private final UUID part;

    /** A sink of rows that the sidecar routes, as a separate part of the transaction. */
    StagedSink(WriteContext context) {
        this(context, Optional.empty(), UUID.randomUUID());
    }

    /**
     * @param shard of all rows; empty: the sidecar routes them
     * @param part the part of the transaction under which the rows are staged
     */
    StagedSink(WriteContext context, Optional<Integer> shard, UUID part) {
        this.part = requireNonNull(part, "part is null");
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
                                shard,
                                part),
                        fields,
                        ArrowBatchEncoder.forRows(fields, writer.layout()));
    }

    /** Whether rows were refused because the transaction, or the node, holds as many as it may. */
    static boolean isFull(TrinoException refused) {
        return refused.getErrorCode().equals(StandardErrorCode.EXCEEDED_WRITE_LIMIT.toErrorCode())
                || refused.getErrorCode().equals(SteleErrorCode.STELE_BUSY.toErrorCode());
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
            rows.rowAppended(length);
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
    public List<UUID> parts() {
        return List.of(part);
    }

    @Override
    public void abort() {
        rows.close();
    }
}
