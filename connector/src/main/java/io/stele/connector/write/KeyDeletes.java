package io.stele.connector.write;

import io.stele.connector.type.RowWriter;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.ColumnSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A sink of the deletions by primary key of one writer of an UPDATE, DELETE or MERGE, staged in the
 * sidecar at the end. A key that the same statement also adds (an UPDATE, or another row whose key
 * changes to it) is not deleted: the added row replaces the old one. All changes of a key are in
 * one writer, because Trino sends each key to the writer of its shard.
 */
final class KeyDeletes implements RowDeletes {
    // A set's entry, an array's header and two references
    private static final int ENTRY_BYTES = 96;

    private final WriteContext context;
    private final List<ColumnSchema> keyColumns;
    private final int[] keyChannels;
    private final RowWriter writer;
    private final Set<KeyRow> deleted = new LinkedHashSet<>();
    private final Set<KeyRow> added = new HashSet<>();
    private long retainedBytes;
    private @Nullable StagedRows staged;

    KeyDeletes(WriteContext context) {
        this.context = context;
        this.keyColumns = context.table().primaryKeyColumns();
        this.keyChannels =
                context.table().primaryKey().stream()
                        .mapToInt(columnId -> context.table().indexOf(columnId))
                        .toArray();
        this.writer = new RowWriter(keyColumns, context.types());
    }

    @Override
    public void delete(Block rowIds, int position) {
        RowBlock values = (RowBlock) rowIds.getUnderlyingValueBlock();
        Block[] fields = new Block[keyColumns.size()];
        for (int index = 0; index < fields.length; index++) {
            // The first field is the shard
            fields[index] = values.getFieldBlock(index + 1);
        }
        KeyRow key = read(fields, rowIds.getUnderlyingValuePosition(position));
        if (!added.contains(key) && deleted.add(key)) {
            retainedBytes += ENTRY_BYTES + key.bytes.length;
        }
    }

    @Override
    public void inserted(Page page, int position) {
        KeyRow key = read(RowWriter.blocks(page, keyChannels), position);
        if (!deleted.remove(key) && added.add(key)) {
            retainedBytes += ENTRY_BYTES + key.bytes.length;
        }
    }

    @Override
    public long retainedBytes() {
        return retainedBytes;
    }

    @Override
    public void finish() {
        if (deleted.isEmpty()) {
            return;
        }
        List<ArrowField> fields = ArrowSchemas.fields(keyColumns);
        StagedRows rows =
                new StagedRows(
                        context.sidecar(),
                        PutTarget.staged(
                                context.table().id(),
                                PutMode.DELETE,
                                context.handle().transactionId(),
                                Optional.empty(),
                                context.part()),
                        fields,
                        ArrowBatchEncoder.forRows(fields, writer.layout()));
        staged = rows;
        BinaryRow view = new BinaryRow(writer.layout());
        for (KeyRow key : deleted) {
            rows.encoder().append(view.wrap(key.bytes));
            rows.rowAppended(key.bytes.length);
        }
        rows.finish();
    }

    @Override
    public void abort() {
        if (staged != null) {
            staged.close();
        }
    }

    private KeyRow read(Block[] fields, int position) {
        int length = writer.write(fields, position);
        return new KeyRow(Arrays.copyOf(writer.array(), length));
    }

    /** A key as the row of its columns: equal keys are equal bytes. */
    private record KeyRow(byte[] bytes) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof KeyRow key && Arrays.equals(bytes, key.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }
}
