package io.stele.columnfile.metadata;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sketches count different values within their error, whole or put together from parts. */
final class TestSketchBuilder {
    private static final double FOUR_DEVIATIONS = 4 * 1.04 / Math.sqrt(SketchBuilder.BUCKETS);

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 1_000, 30_000, 1_000_000})
    void countsDifferentValues(int count) {
        SketchBuilder numbers = new SketchBuilder();
        SketchBuilder text = new SketchBuilder();
        SketchBuilder doubles = new SketchBuilder();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < count; i++) {
                numbers.addLong(i * 7L);
                byte[] name = ("Customer#" + i).getBytes(UTF_8);
                text.addBytes(name, 0, name.length);
                doubles.addDouble(i / 100.0);
            }
        }
        for (SketchBuilder sketch : List.of(numbers, text, doubles)) {
            assertThat((double) sketch.distinctCount())
                    .isCloseTo(count, within(count * FOUR_DEVIATIONS));
            assertThat(sketch.build().distinct().length).isLessThan(700);
        }
    }

    @Test
    void partsGoTogether() {
        SplittableRandom random = new SplittableRandom(5);
        SketchBuilder whole = new SketchBuilder();
        List<ColumnSketch> parts = new ArrayList<>();
        for (int part = 0; part < 20; part++) {
            SketchBuilder sketch = new SketchBuilder();
            for (int i = 0; i < 1_000 * (part % 3); i++) {
                long value = random.nextLong(12_000);
                sketch.addLong(value);
                whole.addLong(value);
            }
            parts.add(sketch.build());
        }
        SketchBuilder sum = new SketchBuilder();
        parts.forEach(sum::merge);
        assertThat(sum.distinctCount()).isEqualTo(whole.distinctCount());
        assertThat(sum.build()).isEqualTo(whole.build());
    }

    @Test
    void lengthsAddUp() {
        SketchBuilder sketch = new SketchBuilder();
        sketch.addBytes(new byte[] {1, 2, 3}, 1, 2);
        sketch.addBytes(new byte[] {2, 3}, 0, 2);
        assertThat(sketch.distinctCount()).isEqualTo(1);
        assertThat(sketch.valueBytes()).isEqualTo(4);
        SketchBuilder sum = new SketchBuilder();
        sum.merge(sketch.build());
        sum.merge(sketch.build());
        assertThat(sum.valueBytes()).isEqualTo(8);
    }

    /** What a column held before it was widened is what it holds after it. */
    @Test
    void aValueIsTheSameInEveryWidth() {
        SketchBuilder sketch = new SketchBuilder();
        sketch.addLong(-5);
        sketch.addInt128(-1, -5);
        assertThat(sketch.distinctCount()).isEqualTo(1);
        sketch.addInt128(1, -5);
        sketch.addInt128(0, -5); // 2^64 - 5
        assertThat(sketch.distinctCount()).isEqualTo(3);

        SketchBuilder doubles = new SketchBuilder();
        doubles.addDouble(0.0);
        doubles.addDouble(-0.0);
        doubles.addDouble(Double.NaN);
        doubles.addDouble(Double.longBitsToDouble(0x7ff8000000000001L));
        doubles.addDouble(0.5f);
        doubles.addDouble(0.5);
        assertThat(doubles.distinctCount()).isEqualTo(3);
    }

    /** Hashes are in manifests. */
    @Test
    void goldenHashes() {
        assertThat(SketchBuilder.mix(0)).isEqualTo(0xE220A8397B1DCDAFL);
        assertThat(SketchBuilder.mix(1)).isEqualTo(0x910A2DEC89025CC1L);
    }

    @Test
    void nestedColumnsAndThoseBehindTheLimitHaveNone() {
        List<ColumnSchema> columns = new ArrayList<>();
        columns.add(new ColumnSchema(1, "a", DataType.parse("array(bigint)")));
        columns.add(new ColumnSchema(2, "j", DataType.parse("json")));
        for (int i = 3; i < 300; i++) {
            columns.add(new ColumnSchema(i, "c" + i, DataType.parse("bigint")));
        }
        assertThat(SketchBuilder.sketched(columns)).hasSize(128).startsWith(2, 3);
    }
}
