package io.stele.protocol.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Schema;

/**
 * A converter between columns and schema messages of Arrow IPC (the bare flatbuffer in FlightData's
 * {@code data_header}). Field metadata: {@code stele.id} the column id, {@code stele.type} the type
 * in Trino's syntax.
 */
public final class ArrowSchemas {
    private ArrowSchemas() {}

    /** The fields of columns, in their order. */
    public static List<ArrowField> fields(List<ColumnSchema> columns) {
        return columns.stream().map(ArrowField::of).toList();
    }

    /**
     * The fields of some columns of a table; ids may be {@link ArrowField#LSN_ID} and {@link
     * ArrowField#ROW_ID_ID}.
     */
    public static List<ArrowField> fields(TableSchema schema, List<Integer> columnIds) {
        List<ArrowField> fields = new ArrayList<>(columnIds.size());
        for (int columnId : columnIds) {
            fields.add(
                    switch (columnId) {
                        case ArrowField.LSN_ID -> ArrowField.LSN;
                        case ArrowField.ROW_ID_ID -> ArrowField.ROW_ID;
                        default -> ArrowField.of(schema.column(columnId));
                    });
        }
        return List.copyOf(fields);
    }

    /** The schema message of fields. */
    public static byte[] toMessage(List<ArrowField> fields) {
        return toMessage(fields, Collections.nCopies(fields.size(), Map.of()));
    }

    /**
     * The schema message of fields.
     *
     * @param metadata additional metadata for each field
     */
    public static byte[] toMessage(List<ArrowField> fields, List<Map<String, String>> metadata) {
        FlatBufferBuilder builder = new FlatBufferBuilder(1024);
        int[] offsets = new int[fields.size()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = FieldEncoder.encode(builder, fields.get(i), metadata.get(i));
        }
        int fieldsOffset = Schema.createFieldsVector(builder, offsets);
        int schema = Schema.createSchema(builder, Endianness.Little, fieldsOffset, 0, 0);
        Message.finishMessageBuffer(
                builder,
                Message.createMessage(
                        builder, MetadataVersion.V5, MessageHeader.Schema, schema, 0, 0));
        return builder.sizedByteArray();
    }

    /**
     * The fields of a schema message.
     *
     * @throws SteleException INVALID_ARGUMENT if it is no schema message, or naming a type that
     *     Stele does not store
     */
    public static List<ArrowField> fromMessage(ByteBuffer message) {
        try {
            Message header =
                    Message.getRootAsMessage(message.slice().order(ByteOrder.LITTLE_ENDIAN));
            if (header.headerType() != MessageHeader.Schema) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected an Arrow schema message, found "
                                + headerName(header.headerType()));
            }
            if (!(header.header(new Schema()) instanceof Schema schema)) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected an Arrow schema, found an empty message");
            }
            return fields(schema);
        } catch (IndexOutOfBoundsException
                | IllegalArgumentException
                | NegativeArraySizeException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an Arrow schema message, found other bytes",
                    e);
        }
    }

    static String headerName(byte headerType) {
        return headerType >= 0 && headerType < MessageHeader.names.length
                ? MessageHeader.name(headerType)
                : "header type " + headerType;
    }

    private static List<ArrowField> fields(Schema schema) {
        if (schema.endianness() != Endianness.Little) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a little-endian Arrow stream, found a big-endian one");
        }
        int count = schema.fieldsLength();
        // Two more for the hidden columns.
        if (count > TableSchema.MAX_COLUMNS + 2) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected at most "
                            + TableSchema.MAX_COLUMNS
                            + " Arrow fields, found "
                            + count);
        }
        List<ArrowField> fields = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            fields.add(FieldDecoder.decode(schema.fields(i)));
        }
        return List.copyOf(fields);
    }
}
