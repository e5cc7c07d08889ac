package io.stele.connector.write;

import io.airlift.slice.Slice;
import io.stele.columnfile.metadata.SketchBuilder;
import io.stele.connector.type.OrcTypes;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.schema.ColumnSchema;
import io.trino.spi.block.Block;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.Int128;
import io.trino.spi.type.RealType;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A builder of the sketches of a file's columns from the blocks that a worker writes, with the same
 * hashes of values as in the sidecar. Confined to one thread.
 */
final class BlockSketches {
    private final List<Column> columns = new ArrayList<>();

    BlockSketches(List<ColumnSchema> schema, List<OrcTypes.Mapping> mappings) {
        for (int channel : SketchBuilder.sketched(schema)) {
            columns.add(
                    new Column(
                            channel,
                            schema.get(channel).id(),
                            mappings.get(channel).fileType(),
                            new SketchBuilder()));
        }
    }

    /** Adds blocks of the file's types. */
    void add(Block[] blocks) {
        columns.forEach(column -> column.add(blocks[column.channel]));
    }

    /** Column id to sketch of the rows so far. */
    Map<Integer, ColumnSketch> sketches() {
        Map<Integer, ColumnSketch> sketches = new HashMap<>();
        columns.forEach(column -> sketches.put(column.id, column.builder.build()));
        return sketches;
    }

    private record Column(int channel, int id, Type type, SketchBuilder builder) {
        private void add(Block block) {
            ValueBlock values = block.getUnderlyingValueBlock();
            for (int position = 0; position < block.getPositionCount(); position++) {
                int at = block.getUnderlyingValuePosition(position);
                if (!values.isNull(at)) {
                    addValue(values, at);
                }
            }
        }

        private void addValue(ValueBlock values, int at) {
            Class<?> javaType = type.getJavaType();
            if (type == RealType.REAL) {
                builder.addDouble(Float.intBitsToFloat(Math.toIntExact(type.getLong(values, at))));
            } else if (javaType == long.class) {
                builder.addLong(type.getLong(values, at));
            } else if (javaType == double.class) {
                builder.addDouble(type.getDouble(values, at));
            } else if (javaType == boolean.class) {
                builder.addLong(type.getBoolean(values, at) ? 1 : 0);
            } else if (javaType == Slice.class) {
                Slice slice = type.getSlice(values, at);
                builder.addBytes(slice.byteArray(), slice.byteArrayOffset(), slice.length());
            } else {
                Int128 wide = (Int128) type.getObject(values, at);
                builder.addInt128(wide.getHigh(), wide.getLow());
            }
        }
    }
}
