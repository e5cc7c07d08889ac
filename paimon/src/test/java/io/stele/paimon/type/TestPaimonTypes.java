package io.stele.paimon.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.spi.TrinoException;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.UuidType;
import java.util.List;
import java.util.Map;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;

class TestPaimonTypes {
    @Test
    void namesOfTrinosTypes() {
        Map.<DataType, String>ofEntries(
                        Map.entry(DataTypes.CHAR(7), "char(7)"),
                        Map.entry(DataTypes.VARCHAR(20), "varchar(20)"),
                        Map.entry(DataTypes.STRING(), "varchar"),
                        Map.entry(DataTypes.BINARY(4), "varbinary"),
                        Map.entry(DataTypes.BYTES(), "varbinary"),
                        Map.entry(DataTypes.DECIMAL(38, 10), "decimal(38,10)"),
                        Map.entry(DataTypes.FLOAT(), "real"),
                        Map.entry(DataTypes.TIME(3), "time(3)"),
                        Map.entry(DataTypes.TIMESTAMP(0), "timestamp(0)"),
                        Map.entry(DataTypes.TIMESTAMP(9), "timestamp(9)"),
                        Map.entry(
                                DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6),
                                "timestamp(6) with time zone"),
                        Map.entry(DataTypes.MULTISET(DataTypes.INT()), "map(integer, integer)"),
                        Map.entry(
                                DataTypes.ROW(DataTypes.FIELD(0, "a", DataTypes.DATE())),
                                "row(\"a\" date)"))
                .forEach(
                        (type, name) ->
                                assertThat(PaimonTypes.toTrino(type).getDisplayName())
                                        .isEqualTo(name));
    }

    @Test
    void typesComeBack() {
        for (DataType type :
                List.of(
                        DataTypes.BOOLEAN(),
                        DataTypes.TINYINT(),
                        DataTypes.SMALLINT(),
                        DataTypes.INT(),
                        DataTypes.BIGINT(),
                        DataTypes.FLOAT(),
                        DataTypes.DOUBLE(),
                        DataTypes.CHAR(3),
                        DataTypes.VARCHAR(3),
                        DataTypes.STRING(),
                        DataTypes.BYTES(),
                        DataTypes.DECIMAL(20, 3),
                        DataTypes.DATE(),
                        DataTypes.TIME(3),
                        DataTypes.TIMESTAMP(9),
                        DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3),
                        DataTypes.ARRAY(DataTypes.MAP(DataTypes.INT(), DataTypes.STRING())))) {
            assertThat(PaimonTypes.toPaimon("c", PaimonTypes.toTrino(type))).isEqualTo(type);
        }
    }

    @Test
    void othersAreRefusedByName() {
        for (DataType type :
                List.of(
                        DataTypes.VARIANT(),
                        DataTypes.BLOB(),
                        DataTypes.ARRAY(DataTypes.VARIANT()),
                        DataTypes.CHAR(100_000))) {
            assertThatThrownBy(() -> PaimonTypes.toTrino(new DataField(0, "odd", type)))
                    .isInstanceOf(TrinoException.class)
                    .hasMessageContaining("column odd of type " + type.asSQLString());
        }
        assertThatThrownBy(() -> PaimonTypes.toPaimon("odd", UuidType.UUID))
                .isInstanceOf(TrinoException.class)
                .hasMessageContaining("column odd of type uuid");
        assertThatThrownBy(() -> PaimonTypes.toPaimon("odd", TimestampType.createTimestampType(12)))
                .isInstanceOf(TrinoException.class);
    }
}
