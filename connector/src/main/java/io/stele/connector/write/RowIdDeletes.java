package io.stele.connector.write;

import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.IntegerType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A sink of deletions by generated row id, for tables without a primary key. Added rows get new
 * ids, so no deletion concerns them.
 */
final class RowIdDeletes implements RowDeletes {
    private final WriteContext context;
    private final Map<Integer, StagedRows> shards = new TreeMap<>();

    RowIdDeletes(WriteContext context) {
        this.context = context;
    }

    @Override
    public void delete(Block rowIds, int position) {
        RowBlock values = (RowBlock) rowIds.getUnderlyingValueBlock();
        int row = rowIds.getUnderlyingValuePosition(position);
        int shard = IntegerType.INTEGER.getInt(values.getFieldBlock(0), row);
        StagedRows rows = shards.computeIfAbsent(shard, this::open);
        rows.encoder()
                .column(0)
                .appendLong(BigintType.BIGINT.getLong(values.getFieldBlock(1), row));
        rows.rowAppended(Long.BYTES);
    }

    @Override
    public void inserted(Page page, int position) {}

    @Override
    public long retainedBytes() {
        return shards.values().stream().mapToLong(StagedRows::retainedBytes).sum();
    }

    @Override
    public void finish() {
        shards.values().forEach(StagedRows::end); // all, so that the shards work side by side
        shards.values().forEach(StagedRows::finish);
    }

    @Override
    public void abort() {
        shards.values().forEach(StagedRows::close);
    }

    private StagedRows open(int shard) {
        List<ArrowField> fields = List.of(ArrowField.ROW_ID);
        return new StagedRows(
                context.sidecar(),
                PutTarget.staged(
                        context.table().id(),
                        PutMode.DELETE,
                        context.handle().transactionId(),
                        Optional.of(shard),
                        context.part()),
                fields,
                new ArrowBatchEncoder(fields));
    }
}
