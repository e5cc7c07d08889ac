package io.stele.protocol.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.aggregate.ScalarExpression.Kind;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestAggregation {
    private static final DataType PRICE = DataType.parse("decimal(12,2)");

    private static AggregateCall call(AggregateFunction function, ScalarExpression argument) {
        return new AggregateCall(function, Optional.of(argument));
    }

    private static ScanTicket ticket(ScanMode mode, Optional<Aggregation> aggregation) {
        return ScanTicket.of(new TableId(3), mode, List.of())
                .at("r", new Lsn(7))
                .ofVersion(2)
                .aggregate(aggregation)
                .build();
    }

    @Test
    void aTicketCarriesAnAggregation() {
        ScalarExpression product =
                ScalarExpression.of(
                        Kind.MULTIPLY,
                        DataType.parse("decimal(24,4)"),
                        ScalarExpression.column(4, PRICE),
                        ScalarExpression.constant(PRICE, ValueCodec.of(PRICE).encodeLong(100)));
        Aggregation aggregation =
                new Aggregation(
                        List.of(2, 5),
                        List.of(
                                new AggregateCall(AggregateFunction.COUNT, Optional.empty()),
                                call(AggregateFunction.SUM, product)),
                        1_000);
        ScanTicket ticket = ticket(ScanMode.AGGREGATE, Optional.of(aggregation));
        assertThat(ScanTicket.decode(ticket.encode())).isEqualTo(ticket);
        assertThat(aggregation.columnIds()).containsExactly(2, 4, 5);
    }

    @Test
    void modeAndAggregationGoTogether() {
        Aggregation count =
                new Aggregation(
                        List.of(),
                        List.of(new AggregateCall(AggregateFunction.COUNT, Optional.empty())),
                        1);
        assertThatThrownBy(() -> ticket(ScanMode.LOOKUP, Optional.of(count)))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("mode AGGREGATE only");
        assertThatThrownBy(() -> ticket(ScanMode.AGGREGATE, Optional.empty()))
                .isInstanceOf(SteleException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SUM | tinyint | bigint",
                "SUM | bigint | bigint",
                "SUM | real | real",
                "SUM | double | double",
                "SUM | decimal(12,2) | decimal(38,2)",
                "AVG | integer | double",
                "AVG | decimal(12,2) | decimal(12,2)",
                "AVG | real | real",
                "MIN | varchar(5) | varchar(5)",
                "MAX | timestamp(6) | timestamp(6)",
                "COUNT | date | bigint"
            })
    void resultsHaveTrinosTypes(AggregateFunction function, String type, String result) {
        assertThat(call(function, ScalarExpression.column(1, DataType.parse(type))).resultType())
                .isEqualTo(DataType.parse(result));
    }

    @Test
    void whatIsNotComputedIsRefused() {
        assertThatThrownBy(
                        () ->
                                call(
                                        AggregateFunction.SUM,
                                        ScalarExpression.column(1, DataType.parse("varchar"))))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("SUM")
                .hasMessageContaining("varchar");
        assertThatThrownBy(() -> new AggregateCall(AggregateFunction.MIN, Optional.empty()))
                .isInstanceOf(SteleException.class);
        assertThatThrownBy(() -> new Aggregation(List.of(1), List.of(), 0))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("groups");
        ScalarExpression deep = ScalarExpression.column(1, PRICE);
        assertThatThrownBy(
                        () -> {
                            ScalarExpression sum = deep;
                            for (int i = 0; i < ScalarExpression.MAX_NODES; i++) {
                                sum = ScalarExpression.of(Kind.ADD, PRICE, sum, deep);
                            }
                        })
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("at most 64 parts");
    }
}
