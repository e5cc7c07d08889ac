package io.stele.protocol.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;

/**
 * A reusable in-memory encoder of Arrow record batches, from rows or from values of each {@link
 * #column}; {@link #finish()} completes a batch. Little-endian, uncompressed, without dictionaries.
 * Confined to one thread; allocates for each batch, not for each row.
 */
public final class ArrowBatchEncoder {
    /** 64 MiB, the limit of a batch on every wire of Stele. */
    public static final int MAX_BATCH_BYTES = 64 << 20;

    private static final int LSN = -1;
    private static final int ROW_ID = -2;

    private final ArrowColumnBuilder[] columns;

    /**
     * For each column its position in a row, {@link #LSN} or {@link #ROW_ID}; empty if rows cannot
     * be appended.
     */
    private final int[] indexes;

    /** The rows appended since the last batch by {@link #append(BinaryRow)}. */
    private int rowCount;

    /** An encoder of values, column by column. */
    public ArrowBatchEncoder(List<ArrowField> fields) {
        this(fields, new int[0]);
    }

    private ArrowBatchEncoder(List<ArrowField> fields, int[] indexes) {
        this.columns =
                fields.stream()
                        .map(field -> new ArrowColumnBuilder(field.arrowType()))
                        .toArray(ArrowColumnBuilder[]::new);
        this.indexes = indexes;
    }

    /**
     * An encoder of rows of a layout. The ids of the fields select the columns, hidden ones
     * included.
     */
    public static ArrowBatchEncoder forRows(List<ArrowField> fields, RowLayout layout) {
        int[] indexes = new int[fields.size()];
        for (int i = 0; i < indexes.length; i++) {
            ArrowField field = fields.get(i);
            indexes[i] =
                    switch (field.id()) {
                        case ArrowField.LSN_ID -> LSN;
                        case ArrowField.ROW_ID_ID -> ROW_ID;
                        default -> layout.indexOf(field.id());
                    };
            if (indexes[i] >= 0 && !layout.type(indexes[i]).equals(field.type())) {
                throw new SteleException(
                        ErrorCode.TYPE_MISMATCH,
                        "Expected type "
                                + layout.type(indexes[i])
                                + " of field '"
                                + field.name()
                                + "', found "
                                + field.type());
            }
        }
        return new ArrowBatchEncoder(fields, indexes);
    }

    /** The builder of a column; all columns must get an equal number of values. */
    public ArrowColumnBuilder column(int index) {
        return columns[index];
    }

    /** Appends a row without hidden columns. */
    public void append(BinaryRow row) {
        append(row, 0, 0);
    }

    /**
     * Appends a row, with LSN and row id as the values of the hidden columns, if the fields have
     * these.
     */
    public void append(BinaryRow row, long lsn, long rowId) {
        if (indexes.length != columns.length) {
            throw new IllegalStateException("Expected an encoder made by forRows");
        }
        for (int i = 0; i < columns.length; i++) {
            int index = indexes[i];
            if (index >= 0) {
                columns[i].append(row, index);
            } else {
                columns[i].appendLong(index == LSN ? lsn : rowId);
            }
        }
        rowCount++;
    }

    /** The number of rows of the next batch so far. */
    public int rowCount() {
        return columns.length == 0 || indexes.length == columns.length
                ? rowCount
                : columns[0].count();
    }

    /** The approximate size of the next batch so far, in bytes. */
    public long sizeBytes() {
        long size = 0;
        for (ArrowColumnBuilder column : columns) {
            size += column.sizeBytes();
        }
        return size;
    }

    /** Completes a batch without columns, which only has a number of rows. */
    public ArrowMessage finish(int rows) {
        rowCount = rows;
        return finish();
    }

    /** Completes the batch and starts the next one; the message owns its buffers. */
    public ArrowMessage finish() {
        int rows = rowCount();
        for (int i = 0; i < columns.length; i++) {
            if (columns[i].count() != rows) {
                throw new IllegalStateException(
                        "Expected "
                                + rows
                                + " values in column "
                                + i
                                + ", found "
                                + columns[i].count());
            }
        }
        List<long[]> nodes = new ArrayList<>();
        List<ByteBuffer> buffers = new ArrayList<>();
        List<Long> lengths = new ArrayList<>();
        for (ArrowColumnBuilder column : columns) {
            column.finish(nodes, buffers, lengths);
        }
        rowCount = 0;
        return message(rows, nodes, buffers, lengths);
    }

    static ArrowMessage message(
            int rows, List<long[]> nodes, List<ByteBuffer> buffers, List<Long> lengths) {
        ByteBuffer header = header(rows, nodes, buffers, lengths);
        return new ArrowMessage(
                header, buffers.stream().filter(ByteBuffer::hasRemaining).toList(), rows);
    }

    /** Discards the rows appended since the last batch. */
    public void reset() {
        for (ArrowColumnBuilder column : columns) {
            column.discard();
        }
        rowCount = 0;
    }

    private static ByteBuffer header(
            int rows, List<long[]> nodes, List<ByteBuffer> buffers, List<Long> lengths) {
        FlatBufferBuilder builder =
                new FlatBufferBuilder(256 + 16 * (nodes.size() + buffers.size()));
        long bodyLength = 0;
        for (ByteBuffer buffer : buffers) {
            bodyLength += buffer.remaining();
        }
        // Flatbuffers vectors of structs are written back to front.
        RecordBatch.startNodesVector(builder, nodes.size());
        for (int i = nodes.size() - 1; i >= 0; i--) {
            FieldNode.createFieldNode(builder, nodes.get(i)[0], nodes.get(i)[1]);
        }
        int nodesOffset = builder.endVector();
        RecordBatch.startBuffersVector(builder, buffers.size());
        long offset = bodyLength;
        for (int i = buffers.size() - 1; i >= 0; i--) {
            offset -= buffers.get(i).remaining();
            Buffer.createBuffer(builder, offset, lengths.get(i));
        }
        int buffersOffset = builder.endVector();
        RecordBatch.startRecordBatch(builder);
        RecordBatch.addLength(builder, rows);
        RecordBatch.addNodes(builder, nodesOffset);
        RecordBatch.addBuffers(builder, buffersOffset);
        int batch = RecordBatch.endRecordBatch(builder);
        Message.finishMessageBuffer(
                builder,
                Message.createMessage(
                        builder,
                        MetadataVersion.V5,
                        MessageHeader.RecordBatch,
                        batch,
                        bodyLength,
                        0));
        return ByteBuffer.wrap(builder.sizedByteArray());
    }
}
