package io.stele.protocol.api.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestColumnFields {
    private static final ColumnSchema COLUMN =
            new ColumnSchema(
                    3,
                    "r",
                    DataType.parse(
                            "row(\"a\" bigint,\"b\" row(\"c\" varchar,\"d\" array(row(\"e\" date))),\"f\" double)"),
                    true,
                    Optional.empty(),
                    List.of(10, 20, 21, 22, 23, 30));

    @Test
    void fieldsComeInTheirOwnOrderWithTheirIds() {
        ColumnSchema narrowed =
                new ColumnFields(Map.of(3, List.of(List.of(30), List.of(20, 22)))).of(COLUMN);
        assertThat(narrowed.type())
                .isEqualTo(
                        DataType.parse(
                                "row(\"b\" row(\"d\" array(row(\"e\" date))),\"f\" double)"));
        assertThat(narrowed.fieldIds()).containsExactly(20, 22, 23, 30);
        // A field and one inside it: all of it
        assertThat(
                        new ColumnFields(Map.of(3, List.of(List.of(20, 21), List.of(20))))
                                .of(COLUMN)
                                .fieldIds())
                .containsExactly(20, 21, 22, 23);
    }

    @Test
    void otherColumnsAndAbsentFields() {
        ColumnFields fields = new ColumnFields(Map.of(4, List.of(List.of(1))));
        assertThat(fields.of(COLUMN)).isSameAs(COLUMN);
        // One that came later, beside one that is there
        assertThat(
                        new ColumnFields(Map.of(3, List.of(List.of(10), List.of(20, 99))))
                                .of(COLUMN)
                                .fieldIds())
                .containsExactly(10);
        assertThatThrownBy(() -> new ColumnFields(Map.of(3, List.of(List.of(99)))).of(COLUMN))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.COLUMN_NOT_FOUND))
                .hasMessageContaining("Expected fields of column 'r', found ids [[99]]");
    }

    @Test
    void limits() {
        assertThatThrownBy(() -> new ColumnFields(Map.of(3, List.of())))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("Expected 1 to 1000 paths of fields for the column of id 3");
        List<List<Integer>> many =
                Collections.nCopies(ColumnFields.MAX_PATHS + 1, List.<Integer>of(10));
        assertThatThrownBy(() -> new ColumnFields(Map.of(3, many)))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("found 1001");
    }
}
