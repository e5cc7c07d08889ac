package io.stele.engine.manifest.orc;

import io.stele.protocol.predicate.ColumnSketch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.TreeMap;

/**
 * The binary codec of the column sketches of one file. The bytes of each sketch, little-endian:
 * column id 4, value bytes 8, length 4, the sketch.
 */
final class SketchBytes {
    private SketchBytes() {}

    static byte[] encode(Map<Integer, ColumnSketch> sketches) {
        int size = 0;
        for (ColumnSketch sketch : sketches.values()) {
            size += Integer.BYTES + Long.BYTES + Integer.BYTES + sketch.distinct().length;
        }
        ByteBuffer buffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        sketches.forEach(
                (column, sketch) ->
                        buffer.putInt(column)
                                .putLong(sketch.valueBytes())
                                .putInt(sketch.distinct().length)
                                .put(sketch.distinct()));
        return buffer.array();
    }

    static Map<Integer, ColumnSketch> decode(ByteBuffer bytes) {
        ByteBuffer buffer = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        Map<Integer, ColumnSketch> sketches = new TreeMap<>();
        while (buffer.hasRemaining()) {
            int column = buffer.getInt();
            long valueBytes = buffer.getLong();
            byte[] distinct = new byte[buffer.getInt()];
            buffer.get(distinct);
            sketches.put(column, new ColumnSketch(distinct, valueBytes));
        }
        return sketches;
    }
}
