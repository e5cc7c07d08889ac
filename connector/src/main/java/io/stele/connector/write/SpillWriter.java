package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.connector.type.RowWriter;
import io.stele.objectstore.ObjectWriter;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.row.BinaryRow;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** A writer of a {@link SpillFile} into the warehouse. Confined to one thread. */
final class SpillWriter implements AutoCloseable {
    // 512 KiB: a merge holds a batch of each file, and each is a request to a remote store
    private static final int BATCH_BYTES = 512 << 10;

    // Asking for the size of a batch costs a walk over its columns
    private static final int ROWS_PER_SIZE_CHECK = 64;

    private final String path;
    private final ObjectWriter object;
    private final RowWriter writer;
    private final BinaryRow row;
    private final ArrowBatchEncoder encoder;
    private final List<SpillFile.Batch> batches = new ArrayList<>();
    private long rowBytes; // of the next batch

    SpillWriter(WriteContext context, String path) throws IOException {
        this.path = requireNonNull(path, "path is null");
        this.writer = new RowWriter(context.columns(), context.types());
        this.row = new BinaryRow(writer.layout());
        this.encoder =
                ArrowBatchEncoder.forRows(ArrowSchemas.fields(context.columns()), writer.layout());
        this.object = context.warehouse().create(path);
    }

    void append(Page page) throws IOException {
        Block[] blocks = SortedRows.blocks(page);
        for (int position = 0; position < page.getPositionCount(); position++) {
            int length = writer.write(blocks, position);
            encoder.append(row.wrap(writer.array(), 0, length));
            rowBytes += length;
            if (isBatchFull()) {
                writeBatch();
            }
        }
    }

    /** A batch may be larger than its rows, which have no room for nulls. */
    private boolean isBatchFull() {
        return rowBytes >= BATCH_BYTES
                || encoder.rowCount() % ROWS_PER_SIZE_CHECK == 0
                        && encoder.sizeBytes() >= BATCH_BYTES;
    }

    private void writeBatch() throws IOException {
        ArrowMessage message = encoder.finish();
        rowBytes = 0;
        long offset = object.position();
        CRC32C crc = new CRC32C();
        int headerBytes = write(message.header(), crc);
        int bodyBytes = 0;
        for (ByteBuffer buffer : message.body()) {
            bodyBytes += write(buffer, crc);
        }
        batches.add(new SpillFile.Batch(offset, headerBytes, bodyBytes, (int) crc.getValue()));
    }

    private int write(ByteBuffer buffer, CRC32C crc) throws IOException {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        object.write(bytes, 0, bytes.length);
        crc.update(bytes, 0, bytes.length);
        return bytes.length;
    }

    /** Publishes the object. */
    SpillFile finish(int level) throws IOException {
        if (encoder.rowCount() > 0) {
            writeBatch();
        }
        object.commit();
        return new SpillFile(path, object.position(), level, batches);
    }

    @Override
    public void close() throws IOException {
        object.close();
    }
}
