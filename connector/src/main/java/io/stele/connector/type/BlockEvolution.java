package io.stele.connector.type;

import io.stele.protocol.schema.IdentifiedType;
import io.stele.protocol.schema.IdentifiedType.Child;
import io.stele.protocol.schema.TypeWidening;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.MapType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.ArrayList;
import java.util.List;

/**
 * A factory of conversions from a column's blocks in an older file to its present type: nested
 * fields are found by id, missing fields are null, narrower values are widened. {@link
 * io.stele.protocol.row.RowMapping} does the same with rows. Stateless.
 */
public final class BlockEvolution {
    private BlockEvolution() {}

    /**
     * The mapping of a file's values, read as the type in which they were written, to values of the
     * column's present type.
     *
     * @param types of SQL for stored types
     */
    public static OrcTypes.Mapping mapping(
            IdentifiedType written, IdentifiedType present, TrinoTypes types) {
        return OrcTypes.mapping(written.type(), types.toTrino(written.type()))
                .evolved(converter(written, present, types));
    }

    private static BlockConverter converter(
            IdentifiedType from, IdentifiedType to, TrinoTypes types) {
        if (from.equals(to)) {
            return BlockConverter.IDENTITY;
        }
        return switch (to.type().kind()) {
            case ROW -> row(from, to, types);
            case ARRAY -> array(part(from, to, 0, types));
            case MAP ->
                    BlockConverter.map(
                            part(from, to, 0, types),
                            part(from, to, 1, types),
                            (MapType) types.toTrino(to.type()));
            default -> scalar(from, to, types);
        };
    }

    private static BlockConverter part(
            IdentifiedType from, IdentifiedType to, int child, TrinoTypes types) {
        return converter(from.children().get(child).type(), to.children().get(child).type(), types);
    }

    private static BlockConverter array(BlockConverter element) {
        return element == BlockConverter.IDENTITY
                ? BlockConverter.IDENTITY
                : BlockConverter.array(element);
    }

    private static BlockConverter row(IdentifiedType from, IdentifiedType to, TrinoTypes types) {
        List<Field> fields = new ArrayList<>();
        for (Child field : to.children()) {
            Block nothing = TypeUtils.writeNativeValue(types.toTrino(field.type().type()), null);
            int position = position(from, field.id());
            BlockConverter converter =
                    position < 0
                            ? BlockConverter.IDENTITY
                            : converter(from.children().get(position).type(), field.type(), types);
            fields.add(new Field(position, converter, nothing));
        }
        return block -> {
            RowBlock row = (RowBlock) block;
            int count = row.getPositionCount();
            Block[] converted = new Block[fields.size()];
            for (int i = 0; i < converted.length; i++) {
                converted[i] = fields.get(i).of(row);
            }
            return RowBlock.fromNotNullSuppressedFieldBlocks(
                    count, BlockConverter.validity(row), converted);
        };
    }

    /**
     * A field of the row in its present type.
     *
     * @param position index in the file's row; below 0: the file has no such field
     */
    private record Field(int position, BlockConverter converter, Block nothing) {
        Block of(RowBlock row) {
            return position < 0
                    ? RunLengthEncodedBlock.create(nothing, row.getPositionCount())
                    : converter.convert(row.getFieldBlock(position));
        }
    }

    private static int position(IdentifiedType row, int fieldId) {
        for (int i = 0; i < row.children().size(); i++) {
            if (row.children().get(i).id() == fieldId) {
                return i;
            }
        }
        return -1;
    }

    private static BlockConverter scalar(IdentifiedType from, IdentifiedType to, TrinoTypes types) {
        if (!TypeWidening.isWidening(from.type(), to.type())) {
            throw new IllegalArgumentException(
                    "Expected a type that holds every value of %s, found %s"
                            .formatted(from.type(), to.type()));
        }
        if (from.type().form() == to.type().form()) {
            return BlockConverter.IDENTITY;
        }
        Type source = types.toTrino(from.type());
        Type target = types.toTrino(to.type());
        if (source.equals(target)) {
            return BlockConverter.IDENTITY; // timestamps are wide in SQL anyway
        }
        return block -> widened(block, source, target);
    }

    private static ValueBlock widened(ValueBlock block, Type source, Type target) {
        int count = block.getPositionCount();
        BlockBuilder builder = target.createBlockBuilder(null, count);
        for (int position = 0; position < count; position++) {
            if (block.isNull(position)) {
                builder.appendNull();
            } else if (target.getJavaType() == double.class) {
                int bits = (int) source.getLong(block, position);
                target.writeDouble(builder, Float.intBitsToFloat(bits));
            } else if (target instanceof DecimalType) {
                target.writeObject(builder, Int128.valueOf(source.getLong(block, position)));
            } else {
                target.writeLong(builder, source.getLong(block, position));
            }
        }
        return builder.buildValueBlock();
    }
}
