package io.stele.connector.read.page;

import static io.trino.spi.type.VarcharType.VARCHAR;
import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.slice.Slices;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.DictionaryBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TestShortText {
    @Test
    void testFlagsGetADictionaryOfTheirDistinctValues() {
        List<@Nullable String> values = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000; i++) {
            values.add(
                    switch (random.nextInt(4)) {
                        case 0 -> "A";
                        case 1 -> "N";
                        case 2 -> "";
                        default -> null;
                    });
        }
        Block encoded = ShortText.encode(block(values));
        assertThat(encoded).isInstanceOf(DictionaryBlock.class);
        assertThat(((DictionaryBlock) encoded).getDictionary().getPositionCount()).isEqualTo(4);
        assertThat(values(encoded)).isEqualTo(values);
    }

    @Test
    void testPartsOfBlocksKeepTheirValues() {
        Block part = block(List.of("a", "b", "c", "b", "a")).getRegion(1, 3);
        assertThat(values(ShortText.encode(part))).containsExactly("b", "c", "b");
    }

    @Test
    void testEveryByteIsAValueOfItsOwn() {
        BlockBuilder builder = VARCHAR.createBlockBuilder(null, 256);
        for (int value = 0; value < 256; value++) {
            VARCHAR.writeSlice(builder, Slices.wrappedBuffer((byte) value));
        }
        Block block = builder.build();
        Block encoded = ShortText.encode(block);
        for (int position = 0; position < 256; position++) {
            assertThat(VARCHAR.getSlice(encoded, position))
                    .isEqualTo(VARCHAR.getSlice(block, position));
        }
    }

    @Test
    void testLongerTextStaysAsItIs() {
        Block block = block(List.of("a", "bc"));
        assertThat(ShortText.encode(block)).isSameAs(block);
        Block empty = block(List.of());
        assertThat(ShortText.encode(empty)).isSameAs(empty);
    }

    private static Block block(List<@Nullable String> values) {
        BlockBuilder builder = VARCHAR.createBlockBuilder(null, values.size());
        for (String value : values) {
            if (value == null) {
                builder.appendNull();
            } else {
                VARCHAR.writeSlice(
                        builder, Slices.wrappedBuffer(value.getBytes(StandardCharsets.UTF_8)));
            }
        }
        return builder.build();
    }

    private static List<@Nullable String> values(Block block) {
        List<@Nullable String> values = new ArrayList<>();
        for (int position = 0; position < block.getPositionCount(); position++) {
            values.add(
                    block.isNull(position)
                            ? null
                            : VARCHAR.getSlice(block, position).toStringUtf8());
        }
        return values;
    }
}
