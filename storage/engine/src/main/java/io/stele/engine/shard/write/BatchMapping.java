package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.TableVersions;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mapping of write batches from one schema version of a table to a later version. It maps whole
 * rows and partial rows. The columns of a partial row that still exist are retained. Keys stay as
 * they are, since their columns never change. Confined to one thread.
 */
public final class BatchMapping {
    private final TableVersions to;
    private final TableSchema from;
    private final RowMapping.Mapper rows;
    private @Nullable Partial partial;

    public BatchMapping(TableVersions to, int fromVersion) {
        this.to = requireNonNull(to, "to is null");
        RowMapping mapping = to.mapping(fromVersion);
        this.from = to.schema().withColumns(fromVersion, mapping.from().columns());
        this.rows = mapping.mapper();
    }

    /**
     * The batch's operations with rows of the later version.
     *
     * @throws io.stele.protocol.SteleException ROW_TOO_LARGE, INVALID_ARGUMENT when a row or the
     *     batch becomes too large
     */
    public WriteBatchReader map(WriteBatchReader batch) {
        WriteBatchBuilder mapped =
                new WriteBatchBuilder(batch.tableId(), to.schemaVersion(), batch.sizeBytes());
        batch.rewind();
        while (batch.next()) {
            byte[] row = row(batch);
            mapped.add(
                    batch.kind(),
                    batch.buffer(),
                    batch.keyOffset(),
                    batch.keyLength(),
                    row,
                    0,
                    row.length);
        }
        batch.rewind();
        return new WriteBatchReader(mapped.toByteArray());
    }

    private byte[] row(WriteBatchReader batch) {
        OperationKind kind = batch.kind();
        if (!kind.hasRow()) {
            return new byte[0];
        }
        return kind.isPartial()
                ? partialOf(batch).map(batch)
                : rows.map(batch.buffer(), batch.rowOffset(), batch.rowLength());
    }

    private Partial partialOf(WriteBatchReader batch) {
        Partial known = partial;
        if (known == null
                || !known.before.matches(batch.buffer(), batch.rowOffset(), batch.rowLength())) {
            known =
                    new Partial(
                            PartialRowLayout.read(
                                    from, batch.buffer(), batch.rowOffset(), batch.rowLength()),
                            to.schema());
            partial = known;
        }
        return known;
    }

    /** The mapping of partial rows that set the same columns. */
    private static final class Partial {
        private final PartialRowLayout before;
        private final PartialRowLayout after;
        private final RowMapping.Mapper rows;

        Partial(PartialRowLayout before, TableSchema to) {
            this.before = before;
            List<Integer> kept = new ArrayList<>();
            for (ColumnSchema column : before.layout().columns()) {
                if (to.columns().stream().anyMatch(present -> present.id() == column.id())) {
                    kept.add(column.id());
                }
            }
            this.after = PartialRowLayout.of(to, kept);
            this.rows = RowMapping.of(before.layout(), after.layout()).mapper();
        }

        byte[] map(WriteBatchReader batch) {
            int head = before.headBytes();
            byte[] row =
                    rows.map(batch.buffer(), batch.rowOffset() + head, batch.rowLength() - head);
            byte[] partial = new byte[after.headBytes() + row.length];
            System.arraycopy(row, 0, partial, after.writeHead(partial, 0), row.length);
            return partial;
        }
    }
}
