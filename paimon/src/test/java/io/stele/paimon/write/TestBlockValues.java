package io.stele.paimon.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.paimon.RandomValues;
import io.stele.paimon.type.InternalRowBlocks;
import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;

/** Values that go from Paimon to Trino's blocks and back are the same. */
final class TestBlockValues {
    private static final int ROWS = 200;

    private static final RowType TYPE =
            RowType.of(
                    DataTypes.BOOLEAN(),
                    DataTypes.TINYINT(),
                    DataTypes.SMALLINT(),
                    DataTypes.INT(),
                    DataTypes.BIGINT(),
                    DataTypes.FLOAT(),
                    DataTypes.DOUBLE(),
                    DataTypes.DATE(),
                    DataTypes.TIME(3),
                    DataTypes.DECIMAL(18, 4),
                    DataTypes.DECIMAL(38, 10),
                    DataTypes.STRING(),
                    DataTypes.VARCHAR(20),
                    DataTypes.BYTES(),
                    DataTypes.BINARY(4),
                    DataTypes.VARBINARY(20),
                    DataTypes.TIMESTAMP(0),
                    DataTypes.TIMESTAMP(6),
                    DataTypes.TIMESTAMP(9),
                    DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3),
                    DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9),
                    DataTypes.ARRAY(DataTypes.BIGINT()),
                    DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.STRING())),
                    DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.DECIMAL(20, 2)),
                    DataTypes.MULTISET(DataTypes.INT().notNull()),
                    DataTypes.ROW(
                            DataTypes.FIELD(1, "a", DataTypes.TIMESTAMP(9)),
                            DataTypes.FIELD(2, "b", DataTypes.ARRAY(DataTypes.DOUBLE()))));

    @Test
    void everyValueComesBack() {
        RandomValues random = new RandomValues(new Random(17));
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(random.row(TYPE));
        }
        rows.add(new GenericRow(TYPE.getFieldCount()));
        PageRow view = new PageRow(TYPE);
        view.set(blocks(rows));
        InternalRowSerializer serializer = new InternalRowSerializer(TYPE);
        for (int i = 0; i < rows.size(); i++) {
            BinaryRow expected = serializer.toBinaryRow(rows.get(i)).copy();
            BinaryRow found = serializer.toBinaryRow(view.at(i, RowKind.INSERT)).copy();
            assertThat(found).as("row %s: %s", i, rows.get(i)).isEqualTo(expected);
        }
    }

    private static Block[] blocks(List<GenericRow> rows) {
        Block[] blocks = new Block[TYPE.getFieldCount()];
        for (int field = 0; field < blocks.length; field++) {
            DataType source = TYPE.getTypeAt(field);
            Type type = PaimonTypes.toTrino(source);
            BlockBuilder builder = type.createBlockBuilder(null, rows.size());
            for (GenericRow row : rows) {
                InternalRowBlocks.append(source, type, row.getField(field), builder);
            }
            blocks[field] = builder.build();
        }
        return blocks;
    }

    @Test
    void fieldsWithoutABlockAreNull() {
        PageRow view = new PageRow(RowType.of(DataTypes.INT(), DataTypes.STRING()));
        view.set(new Block[2]);
        view.at(0, RowKind.DELETE);
        assertThat(view.isNullAt(0)).isTrue();
        assertThat(view.getRowKind()).isEqualTo(RowKind.DELETE);
    }

    @Test
    void textsOfFixedLengthHaveIt() {
        assertThat(read(DataTypes.CHAR(4), BinaryString.fromString("ab")))
                .isEqualTo(BinaryString.fromString("ab  "));
    }

    @Test
    void valuesThatTheTypeDoesNotHaveAreRefused() {
        Block bytes = block(DataTypes.BYTES(), new byte[5]);
        for (DataType type : List.of(DataTypes.BINARY(4), DataTypes.VARBINARY(4))) {
            assertThatThrownBy(
                            () -> BlockValues.read("c", type, PaimonTypes.toTrino(type), bytes, 0))
                    .isInstanceOf(TrinoException.class)
                    .hasMessageContaining("found one of 5 bytes in column c");
        }
        DataType array = DataTypes.ARRAY(DataTypes.INT());
        Block elements =
                block(array, new org.apache.paimon.data.GenericArray(new Object[] {1, null}));
        DataType notNull = DataTypes.ARRAY(DataTypes.INT().notNull());
        assertThatThrownBy(
                        () ->
                                BlockValues.read(
                                        "c", notNull, PaimonTypes.toTrino(array), elements, 0))
                .hasMessageContaining("found NULL in column c");
    }

    private static Object read(DataType type, Object value) {
        return BlockValues.read("c", type, PaimonTypes.toTrino(type), block(type, value), 0);
    }

    private static Block block(DataType source, Object value) {
        Type type = PaimonTypes.toTrino(source);
        BlockBuilder builder = type.createBlockBuilder(null, 1);
        InternalRowBlocks.append(source, type, value, builder);
        return builder.build();
    }

    @Test
    void aRowIsAsWideAsItsBlocks() {
        PageRow view = new PageRow(RowType.of(DataTypes.INT()));
        assertThatThrownBy(() -> view.set(new Block[2]))
                .hasMessageContaining("Expected 1 blocks, found 2");
        InternalRow row = view;
        assertThat(row.getFieldCount()).isEqualTo(1);
    }
}
