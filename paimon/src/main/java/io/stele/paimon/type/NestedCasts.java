package io.stele.paimon.type;

import static io.trino.spi.block.Bitmap.set;
import static io.trino.spi.block.Bitmap.wordsForBits;

import io.trino.spi.block.ArrayBlock;
import io.trino.spi.block.Block;
import io.trino.spi.block.ColumnarArray;
import io.trino.spi.block.ColumnarMap;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.type.MapType;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Conversions of blocks of arrays, maps and rows whose elements, values or fields are converted.
 * Stateless.
 */
final class NestedCasts {
    private NestedCasts() {}

    /**
     * A field of a wanted row.
     *
     * @param index in the stored row; negative: the file does not have it
     * @param cast the conversion of its values
     * @param type the wanted type
     */
    record Field(int index, BlockCast cast, Type type) {}

    static BlockCast row(List<Field> fields) {
        boolean isSame = true;
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            isSame &= field.index() == i && field.cast() == BlockCast.NONE;
        }
        return isSame ? BlockCast.NONE : block -> row(block, fields);
    }

    private static Block row(Block block, List<Field> fields) {
        return switch (block) {
            case RunLengthEncodedBlock run ->
                    RunLengthEncodedBlock.create(
                            row(run.getValue(), fields), run.getPositionCount());
            case DictionaryBlock dictionary ->
                    dictionary.createProjection(row(dictionary.getDictionary(), fields));
            default -> rows((RowBlock) block, fields);
        };
    }

    private static Block rows(RowBlock block, List<Field> fields) {
        int count = block.getPositionCount();
        List<Block> stored = block.getFieldBlocks();
        Block[] blocks = new Block[fields.size()];
        for (int i = 0; i < blocks.length; i++) {
            Field field = fields.get(i);
            blocks[i] =
                    field.index() < 0
                            ? RunLengthEncodedBlock.create(field.type(), null, count)
                            : field.cast().apply(stored.get(field.index()));
        }
        return RowBlock.fromNotNullSuppressedFieldBlocks(
                count, validity(count, block.mayHaveNull(), block::isNull), blocks);
    }

    static BlockCast array(BlockCast elements) {
        return elements == BlockCast.NONE ? BlockCast.NONE : block -> array(block, elements);
    }

    private static Block array(Block block, BlockCast elements) {
        ColumnarArray array = ColumnarArray.toColumnarArray(block);
        int count = array.getPositionCount();
        int[] offsets = new int[count + 1];
        for (int i = 0; i < count; i++) {
            offsets[i + 1] = offsets[i] + array.getLength(i);
        }
        return ArrayBlock.fromElementBlock(
                count,
                validity(count, array.mayHaveNull(), array::isNull),
                offsets,
                elements.apply(array.getElementsBlock()));
    }

    static BlockCast map(MapType type, BlockCast keys, BlockCast values) {
        return keys == BlockCast.NONE && values == BlockCast.NONE
                ? BlockCast.NONE
                : block -> map(block, type, keys, values);
    }

    private static Block map(Block block, MapType type, BlockCast keys, BlockCast values) {
        ColumnarMap map = ColumnarMap.toColumnarMap(block);
        int count = map.getPositionCount();
        int[] offsets = new int[count + 1];
        for (int i = 0; i < count; i++) {
            offsets[i + 1] = offsets[i] + map.getEntryCount(i);
        }
        return type.createBlockFromKeyValue(
                validity(count, map.mayHaveNull(), map::isNull),
                offsets,
                keys.apply(map.getKeysBlock()),
                values.apply(map.getValuesBlock()));
    }

    private static Optional<long[]> validity(int count, boolean mayHaveNull, IntPredicate isNull) {
        if (!mayHaveNull) {
            return Optional.empty();
        }
        long[] valid = new long[wordsForBits(count)];
        for (int i = 0; i < count; i++) {
            if (!isNull.test(i)) {
                set(valid, 0, i);
            }
        }
        return Optional.of(valid);
    }
}
