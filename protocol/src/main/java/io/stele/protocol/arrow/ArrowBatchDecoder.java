package io.stele.protocol.arrow;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;

/**
 * A validating decoder of the Arrow record batches of one stream, safe for input from any sender.
 * It checks every length, offset and bitmap before it returns a column, so that reads of a column
 * never leave its buffers. It copies nothing. Immutable.
 */
public final class ArrowBatchDecoder {
    private final List<ArrowField> fields;

    /** A decoder of batches with these fields. */
    public ArrowBatchDecoder(List<ArrowField> fields) {
        this.fields = List.copyOf(fields);
    }

    /** A decoder for a stream that starts with this schema message. */
    public static ArrowBatchDecoder forSchema(ByteBuffer schemaMessage) {
        return new ArrowBatchDecoder(ArrowSchemas.fromMessage(schemaMessage));
    }

    public List<ArrowField> fields() {
        return fields;
    }

    /**
     * Decodes a record batch; its columns are views of the body.
     *
     * @throws SteleException INVALID_ARGUMENT for another message, compression or dictionaries;
     *     CORRUPT_DATA for invalid buffers
     */
    public ArrowBatch decode(ByteBuffer header, ByteBuffer body) {
        try {
            Message message =
                    Message.getRootAsMessage(header.slice().order(ByteOrder.LITTLE_ENDIAN));
            if (message.headerType() != MessageHeader.RecordBatch) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected an Arrow record batch (dictionaries are not supported), found "
                                + ArrowSchemas.headerName(message.headerType()));
            }
            if (!(message.header(new RecordBatch()) instanceof RecordBatch batch)) {
                throw new SteleException(
                        ErrorCode.CORRUPT_DATA, "Expected an Arrow record batch, found no header");
            }
            return decode(batch, body.slice().order(ByteOrder.LITTLE_ENDIAN));
        } catch (IndexOutOfBoundsException
                | IllegalArgumentException
                | NegativeArraySizeException e) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA, "Expected an Arrow record batch, found other bytes", e);
        }
    }

    private ArrowBatch decode(RecordBatch batch, ByteBuffer body) {
        if (batch.compression() != null) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an uncompressed Arrow record batch, found one with compressed buffers");
        }
        long rows = batch.length();
        // Only a batch without columns may have more rows than bits.
        if (rows < 0 || rows > ArrowBatchEncoder.MAX_BATCH_BYTES) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected a batch of at most "
                            + ArrowBatchEncoder.MAX_BATCH_BYTES
                            + " rows, found "
                            + rows);
        }
        if (body.remaining() > ArrowBatchEncoder.MAX_BATCH_BYTES) {
            throw new SteleException(
                    ErrorCode.ROW_TOO_LARGE,
                    "Expected a batch of at most "
                            + ArrowBatchEncoder.MAX_BATCH_BYTES
                            + " bytes, found "
                            + body.remaining());
        }
        return new ArrowBatch(
                fields, (int) rows, new ColumnDecoder(batch, body).columns(fields, (int) rows));
    }
}
