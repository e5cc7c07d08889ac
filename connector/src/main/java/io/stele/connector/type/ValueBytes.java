package io.stele.connector.type;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;
import java.util.List;

/**
 * A reusable encoder of values of one orderable type into the bytes of {@link ValueCodec}, for long
 * lists such as a thousand keys of a join. Confined to one thread.
 */
final class ValueBytes {
    private final ValueWriter writer;
    private final RowEncoder encoder;
    private final BinaryRow row;
    private final ValueCodec codec;

    /**
     * @param stored what the column is stored as
     * @param type its type in SQL, which blocks have
     */
    ValueBytes(DataType stored, Type type) {
        this.writer = ValueWriter.of(stored, type);
        RowLayout layout = RowLayout.of(List.of(new ColumnSchema(1, "value", stored)));
        this.encoder = new RowEncoder(layout);
        this.row = new BinaryRow(layout);
        this.codec = ValueCodec.of(stored);
    }

    /** The bytes of the value, not null, at a position. */
    byte[] encode(Block block, int position) {
        encoder.reset();
        writer.writeValue(block, position, encoder, 0);
        int length = encoder.finish();
        return codec.encode(row.wrap(encoder.array(), 0, length), 0);
    }
}
