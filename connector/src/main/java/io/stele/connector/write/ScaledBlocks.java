package io.stele.connector.write;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;

import io.stele.columnfile.orc.DecimalScale;
import io.stele.columnfile.orc.ScaledColumn;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TypeKind;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.TypeUtils;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An encoder of doubles as whole numbers in hidden columns ({@link ScaledColumn}) of a file that is
 * being written. Confined to one thread.
 */
final class ScaledBlocks {
    private final List<Column> columns = new ArrayList<>();

    /**
     * Chooses by the first rows which columns of doubles get a hidden column.
     *
     * @param schema the columns whose blocks are the first of the rows, in their order
     */
    ScaledBlocks(List<ColumnSchema> schema, List<Block[]> sample) {
        for (int channel = 0; channel < schema.size(); channel++) {
            ColumnSchema column = schema.get(channel);
            if (column.type().kind() == TypeKind.DOUBLE) {
                Optional<DecimalScale> scale = scale(sample, channel);
                if (scale.isPresent()) {
                    columns.add(new Column(channel, new ScaledColumn(column.id(), scale.get())));
                }
            }
        }
    }

    private static Optional<DecimalScale> scale(List<Block[]> sample, int channel) {
        DecimalScale.Chooser chooser = new DecimalScale.Chooser();
        for (Block[] blocks : sample) {
            Block doubles = blocks[channel];
            for (int position = 0; position < doubles.getPositionCount(); position++) {
                if (!doubles.isNull(position)) {
                    chooser.add(DOUBLE.getDouble(doubles, position));
                }
            }
        }
        return chooser.choice();
    }

    List<ScaledColumn> columns() {
        return columns.stream().map(column -> column.scaled).toList();
    }

    /** The blocks, followed by those of the hidden columns. */
    Block[] with(Block[] blocks) {
        Block[] extended = Arrays.copyOf(blocks, blocks.length + columns.size());
        for (int index = 0; index < columns.size(); index++) {
            Column column = columns.get(index);
            extended[blocks.length + index] = column.encode(blocks[column.channel]);
        }
        return extended;
    }

    private static final class Column {
        private final int channel; // of the doubles
        private final ScaledColumn scaled;
        private boolean givenUp;

        Column(int channel, ScaledColumn scaled) {
            this.channel = channel;
            this.scaled = scaled;
        }

        Block encode(Block doubles) {
            int count = doubles.getPositionCount();
            ValueBlock values = doubles.getUnderlyingValueBlock();
            BlockBuilder whole = BIGINT.createFixedSizeBlockBuilder(count);
            for (int position = 0; position < count && !givenUp; position++) {
                int at = doubles.getUnderlyingValuePosition(position);
                if (values.isNull(at)) {
                    whole.appendNull();
                } else {
                    long encoded = scaled.scale().encode(DOUBLE.getDouble(values, at));
                    givenUp = encoded == DecimalScale.NONE;
                    BIGINT.writeLong(whole, encoded);
                }
            }
            return givenUp
                    ? RunLengthEncodedBlock.create(TypeUtils.writeNativeValue(BIGINT, null), count)
                    : whole.build();
        }
    }
}
