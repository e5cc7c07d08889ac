package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.stele.protocol.api.write.WrittenFile;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorMergeSink;
import io.trino.spi.type.TinyintType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The sink of one writer, on a worker, of an UPDATE, DELETE or MERGE; every changed row arrives as
 * a deleted and an added one. Confined to one driver.
 */
final class SteleMergeSink implements ConnectorMergeSink {
    private final UUID part;
    private final RowSink inserts;
    private final RowDeletes deletes;
    private final int columnCount;

    /**
     * @param part the part of the transaction under which deletions are staged
     */
    SteleMergeSink(UUID part, RowSink inserts, RowDeletes deletes, int columnCount) {
        this.part = requireNonNull(part, "part is null");
        this.inserts = requireNonNull(inserts, "inserts is null");
        this.deletes = requireNonNull(deletes, "deletes is null");
        this.columnCount = columnCount;
    }

    /** Channels: the columns, the operation, the number of the WHEN clause, the row id. */
    @Override
    public void storeMergedRows(Page page) {
        Block operations = page.getBlock(columnCount);
        Block rowIds = page.getBlock(columnCount + 2);
        int[] columns = new int[columnCount];
        Arrays.setAll(columns, channel -> channel);
        Page rows = page.getColumns(columns);
        StelePageSink.run(
                () -> {
                    int[] added = new int[page.getPositionCount()];
                    int addedCount = 0;
                    for (int position = 0; position < page.getPositionCount(); position++) {
                        if (isDelete(operations, position)) {
                            deletes.delete(rowIds, position);
                        } else {
                            deletes.inserted(rows, position);
                            added[addedCount++] = position;
                        }
                    }
                    if (addedCount > 0) {
                        inserts.append(rows.copyPositions(added, 0, addedCount));
                    }
                    return page;
                });
    }

    @Override
    public CompletableFuture<Collection<Slice>> finish() {
        return CompletableFuture.completedFuture(
                StelePageSink.run(
                        () -> {
                            deletes.finish();
                            List<WrittenFile> files = inserts.finish();
                            List<UUID> parts = new ArrayList<>(inserts.parts());
                            parts.add(part);
                            return SinkResults.of(parts, files);
                        }));
    }

    @Override
    public void abort() {
        StelePageSink.run(
                () -> {
                    deletes.abort();
                    inserts.abort();
                    return inserts;
                });
    }

    @Override
    public long getCompletedBytes() {
        return inserts.writtenBytes();
    }

    private static boolean isDelete(Block operations, int position) {
        byte operation = TinyintType.TINYINT.getByte(operations, position);
        return switch (operation) {
            case DELETE_OPERATION_NUMBER, UPDATE_DELETE_OPERATION_NUMBER -> true;
            case INSERT_OPERATION_NUMBER, UPDATE_INSERT_OPERATION_NUMBER -> false;
            default ->
                    throw new IllegalArgumentException(
                            "Expected an insert or a delete, found operation " + operation);
        };
    }
}
