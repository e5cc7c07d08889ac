package io.stele.paimon.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.paimon.RandomValues;
import io.stele.paimon.type.InternalRowBlocks;
import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.paimon.codegen.CodeGenUtils;
import org.apache.paimon.codegen.RecordComparator;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The order of values is that of the comparators that Paimon generates. */
class TestColumnValues {
    private static final long SEED = Long.getLong("simulation.seed", 20261128);

    static Stream<DataType> types() {
        return Stream.of(
                DataTypes.BOOLEAN(),
                DataTypes.TINYINT(),
                DataTypes.SMALLINT(),
                DataTypes.INT(),
                DataTypes.BIGINT(),
                DataTypes.DECIMAL(9, 2),
                DataTypes.DECIMAL(30, 4),
                DataTypes.DATE(),
                DataTypes.TIME(3),
                DataTypes.TIMESTAMP(0),
                DataTypes.TIMESTAMP(6),
                DataTypes.TIMESTAMP(9),
                DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3),
                DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9),
                DataTypes.STRING(),
                DataTypes.BYTES());
    }

    @ParameterizedTest
    @MethodSource("types")
    void orderIsThatOfPaimon(DataType type) {
        RandomValues random = new RandomValues(new Random(SEED));
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            values.add(i % 10 == 9 ? null : random.value(type));
        }
        Type trino = PaimonTypes.toTrino(type);
        BlockBuilder builder = trino.createBlockBuilder(null, values.size());
        values.forEach(value -> InternalRowBlocks.append(type, trino, value, builder));
        Block block = builder.build();
        for (boolean isAscending : List.of(true, false)) {
            RecordComparator paimon =
                    CodeGenUtils.newRecordComparator(List.of(type), new int[] {0}, isAscending);
            MergeBatch batch =
                    new MergeBatch(
                            new MergeLayout(
                                    List.of(),
                                    List.of(),
                                    List.of(new MergeLayout.Column(0, trino)),
                                    List.of(new MergeLayout.Column(0, trino)),
                                    isAscending,
                                    -1,
                                    -1),
                            io.trino.spi.connector.SourcePage.create(block));
            for (int left = 0; left < values.size(); left++) {
                for (int right = 0; right < values.size(); right++) {
                    int expected =
                            paimon.compare(
                                    GenericRow.of(values.get(left)),
                                    GenericRow.of(values.get(right)));
                    assertThat(Integer.signum(batch.compareSequence(left, batch, right)))
                            .as("%s and %s", values.get(left), values.get(right))
                            .isEqualTo(Integer.signum(expected));
                    if (isAscending && values.get(left) != null && values.get(right) != null) {
                        assertThat(Integer.signum(batch.compareKeys(left, batch, right)))
                                .isEqualTo(Integer.signum(expected));
                    }
                }
            }
        }
    }
}
