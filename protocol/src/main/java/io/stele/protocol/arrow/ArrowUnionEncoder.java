package io.stele.protocol.arrow;

import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.ScalarType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * An encoder of one Arrow record batch of two columns, for Flight SQL's reply about the server:
 * 32-bit names, and a dense union of their values. The union's type ids are the positions of its
 * children. Confined to one thread.
 */
public final class ArrowUnionEncoder {
    private final ArrowColumnBuilder names =
            new ArrowColumnBuilder(ArrowType.of(ScalarType.INTEGER));
    private final List<ArrowColumnBuilder> children;
    private final GrowingBuffer typeIds = new GrowingBuffer();
    private final GrowingBuffer offsets = new GrowingBuffer();

    /**
     * @param types of the union's children
     */
    public ArrowUnionEncoder(List<DataType> types) {
        this.children =
                types.stream().map(type -> new ArrowColumnBuilder(ArrowType.of(type))).toList();
    }

    /** Begins a row; the caller appends its value to the returned child. */
    public ArrowColumnBuilder append(int name, int child) {
        ArrowColumnBuilder values = children.get(child);
        names.appendLong(name);
        int typeAt = typeIds.reserve(1);
        typeIds.array[typeAt] = (byte) child;
        int at = offsets.reserve(Integer.BYTES);
        ByteBuffer.wrap(offsets.array).order(ByteOrder.LITTLE_ENDIAN).putInt(at, values.count());
        return values;
    }

    /** Completes the batch; the message owns its buffers. */
    public ArrowMessage finish() {
        int rows = names.count();
        List<long[]> nodes = new ArrayList<>();
        List<ByteBuffer> buffers = new ArrayList<>();
        List<Long> lengths = new ArrayList<>();
        names.finish(nodes, buffers, lengths);
        nodes.add(new long[] {rows, 0});
        for (GrowingBuffer buffer : List.of(typeIds, offsets)) {
            lengths.add((long) buffer.length);
            buffers.add(buffer.take());
        }
        for (ArrowColumnBuilder child : children) {
            child.finish(nodes, buffers, lengths);
        }
        return ArrowBatchEncoder.message(rows, nodes, buffers, lengths);
    }
}
