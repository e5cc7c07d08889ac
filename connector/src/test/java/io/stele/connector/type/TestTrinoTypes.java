package io.stele.connector.type;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.type.Type;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestTrinoTypes {
    private final TrinoTypes types = new TrinoTypes(TESTING_TYPE_MANAGER);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "boolean",
                "tinyint",
                "smallint",
                "integer",
                "bigint",
                "real",
                "double",
                "decimal(1,0)",
                "decimal(18,18)",
                "decimal(19,0)",
                "decimal(38,10)",
                "varchar",
                "varchar(1)",
                "varchar(20)",
                "char(1)",
                "char(25)",
                "varbinary",
                "date",
                "time(0)",
                "time(3)",
                "time(6)",
                "time(9)",
                "time(12)",
                "timestamp(0)",
                "timestamp(3)",
                "timestamp(6)",
                "timestamp(9)",
                "timestamp(10)",
                "timestamp(12)",
                "timestamp(0) with time zone",
                "timestamp(3) with time zone",
                "timestamp(6) with time zone",
                "timestamp(9) with time zone",
                "timestamp(12) with time zone",
                "uuid",
                "json",
                "array(bigint)",
                "map(varchar, array(json))",
                "row(a bigint, \"B c\" row(x uuid, y time(3)))",
                "row(bigint, varchar)"
            })
    void storesWhatItReadsBack(String sqlType) {
        Type type = TESTING_TYPE_MANAGER.fromSqlType(sqlType);

        assertThat(types.toTrino(types.toStele("c", type))).isEqualTo(type);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "time(3) with time zone",
                "interval day to second",
                "interval year to month",
                "hyperloglog",
                "ipaddress",
                "unknown",
                "array(ipaddress)",
                "map(varchar, ipaddress)",
                "row(a bigint, b ipaddress)"
            })
    void refusesOthersByName(String sqlType) {
        Type type = TESTING_TYPE_MANAGER.fromSqlType(sqlType);

        assertThatThrownBy(() -> types.toStele("my_column", type))
                .isInstanceOfSatisfying(
                        TrinoException.class,
                        e ->
                                assertThat(e.getErrorCode())
                                        .isEqualTo(StandardErrorCode.NOT_SUPPORTED.toErrorCode()))
                .hasMessageContaining(type.getDisplayName())
                .hasMessageContaining("'my_column'");
    }
}
