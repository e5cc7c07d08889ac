package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.bytes.Corruption;
import io.stele.connector.error.SteleErrors;
import io.stele.connector.type.ArrowBlocks;
import io.stele.connector.type.KeyRows;
import io.stele.objectstore.ObjectReader;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.schema.ColumnSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A reader of the rows of a {@link SpillFile} from the first to the last. Confined to one thread.
 */
final class SpillCursor {
    private final WriteContext context;
    private final SpillFile file;
    private final ObjectReader reader;
    private final KeyRows keys;
    private final ArrowBatchDecoder decoder;
    private int nextBatch;
    private Page page = new Page(0);
    private Block[] blocks = new Block[0];
    private int position;
    private Optional<SortedRows.Row> row = Optional.empty(); // at the position

    /** Moves to the first row. */
    SpillCursor(
            WriteContext context,
            SpillFile file,
            ObjectReader reader,
            KeyRows keys,
            ArrowBatchDecoder decoder)
            throws IOException {
        this.context = requireNonNull(context, "context is null");
        this.file = requireNonNull(file, "file is null");
        this.reader = requireNonNull(reader, "reader is null");
        this.keys = requireNonNull(keys, "keys is null");
        this.decoder = requireNonNull(decoder, "decoder is null");
        readRow();
    }

    /** The row that is next; empty at the end. */
    Optional<SortedRows.Row> row() {
        return row;
    }

    /** Passes on the next rows, as long as they belong to this group. */
    void drain(SortedRows.Group group, SpilledRows.Target target) throws IOException {
        while (row.isPresent() && row.get().isOf(group)) {
            int start = position;
            Page from = page;
            List<SortedRows.Row> rows = new ArrayList<>();
            while (page == from && row.isPresent() && row.get().isOf(group)) {
                rows.add(row.get());
                position++;
                readRow();
            }
            target.add(from.getRegion(start, rows.size()), rows);
        }
    }

    private void readRow() throws IOException {
        while (position == page.getPositionCount()) {
            if (nextBatch == file.batches().size()) {
                row = Optional.empty();
                return;
            }
            page = read(file.batches().get(nextBatch++));
            blocks = SortedRows.blocks(page);
            position = 0;
        }
        keys.read(blocks, position);
        row = Optional.of(SortedRows.read(context, keys, position));
    }

    private Page read(SpillFile.Batch batch) throws IOException {
        byte[] bytes = reader.read(batch.offset(), batch.range().length());
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length);
        if ((int) crc.getValue() != batch.crc()) {
            throw SteleErrors.translate(
                    Corruption.checksum(
                            context.warehouse().describe(file.path()),
                            batch.offset(),
                            batch.crc(),
                            (int) crc.getValue()));
        }
        ArrowBatch decoded =
                decoder.decode(
                        ByteBuffer.wrap(bytes, 0, batch.headerBytes()),
                        ByteBuffer.wrap(bytes, batch.headerBytes(), batch.bodyBytes()));
        List<ColumnSchema> columns = context.columns();
        Block[] read = new Block[columns.size()];
        for (int index = 0; index < read.length; index++) {
            read[index] =
                    ArrowBlocks.toBlock(
                            decoded.column(index),
                            context.types().toTrino(columns.get(index).type()));
        }
        return new Page(decoded.rowCount(), read);
    }
}
