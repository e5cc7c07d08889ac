package io.stele.paimon.write;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.trino.spi.Page;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.ConnectorMergeSink;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.TinyintType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.paimon.compression.CompressOptions;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.disk.ExternalBuffer;
import org.apache.paimon.disk.RowBuffer.RowBufferIterator;
import org.apache.paimon.options.MemorySize;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.jspecify.annotations.Nullable;

/**
 * The sink of one driver on a worker for an UPDATE, DELETE or MERGE, which writes changed rows
 * through Paimon's writer. A changed row arrives as a deleted and an added row with the same key.
 * The added row replaces the row of its key; the deleted row is written only for a changelog.
 *
 * <p>Rows that a MERGE inserts are written last, since an inserted row may have the key of a row
 * that the same statement deletes, and the later of two rows of a key counts. Confined to one
 * driver.
 */
final class PaimonMergeSink implements ConnectorMergeSink {
    /** The memory of inserted rows that wait; more rows wait on disk. */
    private static final long INSERT_BUFFER_BYTES = 16 << 20;

    private final SchemaTableName name;
    private final PaimonTableWriter writer;
    private final RowChangeRules rules;
    private final Map<Integer, List<Integer>> updated;
    private final int[] channels;
    private final int[] rowIdChannels;
    private final int columnCount;
    private final PageRow added;
    private final PageRow deleted;
    private final ExternalBuffer inserted;
    private long completedBytes;

    /**
     * @param updated channels of the columns that each case assigns
     * @param channels of the table's columns in the pages; -1: none
     * @param rowIdChannels of the table's columns in the row id; -1: none
     * @param columnCount columns of the pages, after which come operation, case and row id
     */
    PaimonMergeSink(
            SchemaTableName name,
            RowType type,
            PaimonTableWriter writer,
            RowChangeRules rules,
            Map<Integer, List<Integer>> updated,
            int[] channels,
            int[] rowIdChannels,
            int columnCount,
            int pageSize) {
        this.name = requireNonNull(name, "name is null");
        this.writer = requireNonNull(writer, "writer is null");
        this.rules = requireNonNull(rules, "rules is null");
        this.updated = Map.copyOf(updated);
        this.channels = channels.clone();
        this.rowIdChannels = rowIdChannels.clone();
        this.columnCount = columnCount;
        this.added = new PageRow(type);
        this.deleted = new PageRow(type);
        this.inserted =
                new ExternalBuffer(
                        writer.disk(),
                        new WriteBufferPool(INSERT_BUFFER_BYTES, pageSize),
                        new InternalRowSerializer(type),
                        MemorySize.MAX_VALUE,
                        CompressOptions.defaultOptions());
    }

    @Override
    public void storeMergedRows(Page page) {
        Block operations = page.getBlock(columnCount);
        Block cases = page.getBlock(columnCount + 1);
        List<Block> rowIds = RowBlock.getRowFieldsFromBlock(page.getBlock(columnCount + 2));
        added.set(PaimonPageSink.blocks(page, channels));
        @Nullable Block[] ids = new Block[rowIdChannels.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = rowIdChannels[i] < 0 ? null : rowIds.get(rowIdChannels[i]);
        }
        deleted.set(ids);
        WriteFailures.run(
                name,
                () -> {
                    for (int position = 0; position < page.getPositionCount(); position++) {
                        store(
                                TinyintType.TINYINT.getByte(operations, position),
                                page,
                                cases,
                                position);
                    }
                    return page;
                });
        completedBytes += page.getSizeInBytes();
    }

    private void store(byte operation, Page page, Block cases, int position) throws Exception {
        switch (operation) {
            case INSERT_OPERATION_NUMBER -> inserted.put(added.at(position, RowKind.INSERT));
            case DELETE_OPERATION_NUMBER -> {
                rules.checkDeletes();
                writer.write(deleted.at(position, RowKind.DELETE));
            }
            case UPDATE_DELETE_OPERATION_NUMBER -> {
                if (rules.writesRowsBeforeUpdates()) {
                    writer.write(deleted.at(position, RowKind.UPDATE_BEFORE));
                }
            }
            case UPDATE_INSERT_OPERATION_NUMBER -> {
                if (rules.ignoresNulls()) {
                    checkNotNull(page, IntegerType.INTEGER.getInt(cases, position), position);
                }
                writer.write(
                        added.at(
                                position,
                                rules.writesRowsBeforeUpdates()
                                        ? RowKind.UPDATE_AFTER
                                        : RowKind.INSERT));
            }
            default ->
                    throw new IllegalArgumentException(
                            "Expected an insert, delete or update, found operation " + operation);
        }
    }

    private void checkNotNull(Page page, int updateCase, int position) {
        for (int channel : updated.getOrDefault(updateCase, List.of())) {
            if (page.getBlock(channel).isNull(position)) {
                throw new TrinoException(
                        NOT_SUPPORTED,
                        "Expected values that are not NULL in an UPDATE of %s, since its merge engine partial-update keeps the old value in place of NULL"
                                .formatted(name));
            }
        }
    }

    @Override
    public CompletableFuture<Collection<Slice>> finish() {
        return CompletableFuture.completedFuture(
                WriteFailures.run(
                        name,
                        () -> {
                            writeInserted();
                            return WriteMessages.encode(writer.finish());
                        }));
    }

    private void writeInserted() throws Exception {
        if (inserted.size() == 0) {
            return;
        }
        try (RowBufferIterator rows = inserted.newIterator()) {
            while (rows.advanceNext()) {
                InternalRow row = rows.getRow();
                row.setRowKind(RowKind.INSERT);
                writer.write(row);
            }
        }
        inserted.reset();
    }

    @Override
    public void abort() {
        WriteFailures.run(
                name,
                () -> {
                    writer.abort();
                    return name;
                });
    }

    @Override
    public long getCompletedBytes() {
        return completedBytes;
    }
}
