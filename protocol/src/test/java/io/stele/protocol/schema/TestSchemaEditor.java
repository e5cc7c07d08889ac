package io.stele.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.InitialRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class TestSchemaEditor {
    private TableSchema table = table();
    private int nextId = SchemaHistory.of(table).nextColumnId();

    @Test
    void addsColumnsAndFieldsUnderNewIds() {
        assertThat(nextId).isEqualTo(11);
        apply(ColumnChange.addColumn("extra", type("row(\"p\" bigint)"), Optional.of("c")));
        ColumnSchema extra = column("extra");
        assertThat(extra)
                .isEqualTo(
                        new ColumnSchema(
                                11, "extra", type("row(\"p\" bigint)"), true, Optional.of("c")));
        assertThat(table.schemaVersion()).isEqualTo(2);
        apply(
                ColumnChange.addField(
                        List.of("extra"), "q", type("array(row(\"r\" date, \"s\" date))")));
        assertThat(column("extra").nestedFieldIds()).containsExactly(1, 12, 13, 14);
        assertThat(column("extra").type())
                .isEqualTo(type("row(\"p\" bigint, \"q\" array(row(\"r\" date, \"s\" date)))"));
        apply(ColumnChange.addField(List.of("extra", "q", "element"), "t", type("varchar")));
        assertThat(column("extra").nestedFieldIds()).containsExactly(1, 12, 13, 14, 15);
        assertThat(nextId).isEqualTo(16);
    }

    @Test
    void initialValuesStayAsTypesWiden() {
        DataType small = type("smallint");
        InitialValue seven = InitialRow.value(small, 7);
        ColumnChange add =
                ColumnChange.addColumn("given", small, Optional.empty()).withInitialValue(seven);
        apply(add.asNotNull());
        assertThat(column("given").nullable()).isFalse();
        apply(ColumnChange.setType(List.of("given"), type("bigint")));
        apply(ColumnChange.rename(List.of("given"), "renamed"));
        apply(ColumnChange.dropNotNull("renamed"));
        assertThat(column("renamed").initialValue()).contains(seven);
        assertThat(InitialRow.of(column("renamed")).orElseThrow().longAt(0)).isEqualTo(7);
        refuses(
                "an initial value of a new NOT NULL column",
                () -> ColumnChange.addColumn("n", small, Optional.empty()).asNotNull());
        refuses(
                "an initial value for new columns only",
                () -> ColumnChange.addField(List.of("nested"), "n", small).withInitialValue(seven));
        refuses(
                "an initial value of type tinyint for column 'n'",
                () ->
                        apply(
                                ColumnChange.addColumn("n", type("tinyint"), Optional.empty())
                                        .withInitialValue(seven)));
        refuses(
                "an initial value of a type that is not nested",
                () -> new InitialValue(type("array(bigint)"), new byte[1]));
        refuses(
                "an initial value of 1 to 65536 bytes, found 65537",
                () -> new InitialValue(small, new byte[InitialValue.MAX_BYTES + 1]));
    }

    private static void refuses(String message, ThrowingCallable action) {
        assertThatThrownBy(action)
                .isInstanceOf(SteleException.class)
                .hasMessageContaining(message)
                .extracting(failure -> ((SteleException) failure).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void newColumnsGoWhereTheyAreToldTo() {
        List<String> before = table.columns().stream().map(ColumnSchema::name).toList();
        apply(
                ColumnChange.addColumn("first", type("bigint"), Optional.empty())
                        .at(ColumnChange.Position.FIRST));
        apply(
                ColumnChange.addColumn("third", type("bigint"), Optional.empty())
                        .at(new ColumnChange.Position(Optional.of(before.get(0)))));
        apply(
                ColumnChange.addColumn("last", type("bigint"), Optional.empty())
                        .at(new ColumnChange.Position(Optional.of(before.get(before.size() - 1)))));
        List<String> expected = new ArrayList<>(before);
        expected.add(1, "third");
        expected.add(0, "first");
        expected.add("last");
        assertThat(table.columns().stream().map(ColumnSchema::name)).isEqualTo(expected);
        ColumnChange lost =
                ColumnChange.addColumn("lost", type("bigint"), Optional.empty())
                        .at(new ColumnChange.Position(Optional.of("nothing")));
        assertThatThrownBy(() -> apply(lost))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("Expected a column 'nothing'");
    }

    @Test
    void idsOfFieldsThatAreAddedLaterAreNew() {
        apply(
                ColumnChange.addColumn(
                        "wide",
                        type("row(" + "bigint, ".repeat(29) + "bigint)"),
                        Optional.empty()));
        apply(ColumnChange.addField(List.of("wide"), "more", type("bigint")));
        assertThat(column("wide").nestedFieldIds()).doesNotHaveDuplicates().hasSize(31);
    }

    @Test
    void dropsAndRenamesInsideArraysAndMaps() {
        apply(ColumnChange.rename(List.of("nested", "LIST", "element", "x"), "y"));
        apply(ColumnChange.drop(List.of("nested", "m", "value", "v")));
        apply(ColumnChange.setType(List.of("nested", "m", "value", "w"), type("double")));
        assertThat(column("nested").type())
                .isEqualTo(
                        type(
                                "row(\"list\" array(row(\"y\" integer)), \"m\" map(bigint, row(\"w\" double)), \"n\" tinyint)"));
        assertThat(column("nested").nestedFieldIds()).containsExactly(1, 2, 3, 5, 6);
    }

    @Test
    void changesTypesOfWholeStructuresPartByPart() {
        apply(
                ColumnChange.setType(
                        List.of("nested"),
                        type(
                                "row(\"list\" array(row(\"x\" bigint)), \"m\" map(bigint, row(\"v\" varchar, \"w\" double)), \"n\" smallint)")));
        assertThat(column("nested").nestedFieldIds()).containsExactly(1, 2, 3, 4, 5, 6);
        refuses(
                "the key type",
                ColumnChange.setType(
                        List.of("nested", "m"),
                        type("map(decimal(20,0), row(\"v\" varchar, \"w\" double))")));
        refuses(
                "fields are added, dropped and renamed one by one",
                ColumnChange.setType(List.of("nested", "list"), type("array(row(\"z\" bigint))")));
        refuses(
                "'nested.list.element.x' that holds every value of bigint",
                ColumnChange.setType(List.of("nested", "list"), type("array(row(\"x\" integer))")));
    }

    @Test
    void widensOnly() {
        List<List<String>> wider =
                List.of(
                        List.of("tinyint", "smallint", "integer", "bigint"),
                        List.of("real", "double"),
                        List.of("decimal(5,2)", "decimal(18,2)", "decimal(19,2)", "decimal(38,2)"),
                        List.of("varchar(0)", "varchar(5)", "varchar"),
                        List.of("char(1)", "char(7)"),
                        List.of("date"),
                        List.of("timestamp(3)"),
                        List.of("decimal(5,3)"));
        for (List<String> chain : wider) {
            for (List<String> other : wider) {
                for (int i = 0; i < chain.size(); i++) {
                    for (int j = 0; j < other.size(); j++) {
                        assertThat(TypeWidening.isWidening(type(chain.get(i)), type(other.get(j))))
                                .as("%s to %s", chain.get(i), other.get(j))
                                .isEqualTo(chain == other && i <= j);
                    }
                }
            }
        }
    }

    @Test
    void refusesByName() {
        for (String property :
                List.of("primary_key", "clustering_key", "segment_key", "bitmap_columns")) {
            String column = property.substring(0, property.indexOf('_'));
            refuses("'" + column + "' of " + property, ColumnChange.drop(List.of(column)));
            refuses(
                    "'" + column + "' of " + property,
                    ColumnChange.setType(List.of(column), type("bigint")));
            apply(ColumnChange.rename(List.of(column), column + "_"));
            apply(ColumnChange.rename(List.of(column + "_"), column));
        }
        refuses("'dictionary' of dictionary_columns", ColumnChange.drop(List.of("dictionary")));
        refuses("'indexed' of index 'i'", ColumnChange.drop(List.of("indexed")));
        refuses("outside the primary_key", ColumnChange.dropNotNull("primary"));
        refusesExisting("'Plain'", ColumnChange.rename(List.of("indexed"), "Plain"));
        refusesExisting(
                "a new column", ColumnChange.addColumn("PLAIN", type("bigint"), Optional.empty()));
        refuses("holds every value of", ColumnChange.setType(List.of("plain"), type("tinyint")));
        refuses("nested type", ColumnChange.drop(List.of("plain", "x")));
        refusesExisting(
                "a new field", ColumnChange.addField(List.of("nested"), "N", type("bigint")));
        refusesExisting(
                "a new field", ColumnChange.rename(List.of("nested", "m", "value", "v"), "W"));
        refuses("map keys", ColumnChange.setType(List.of("nested", "m", "key"), type("bigint")));
        refuses("a field of a row", ColumnChange.drop(List.of("nested", "m", "value")));
        refuses("to stay", ColumnChange.drop(List.of("nested", "list", "element", "x")));
        refusesMissing(ColumnChange.drop(List.of("nothing")));
        refusesMissing(ColumnChange.drop(List.of("nested", "nothing")));
        assertThat(table.columns()).isEqualTo(table().columns());
    }

    @Test
    void numberOfColumnsIsLimited() {
        for (int i = table.columns().size(); i < TableSchema.MAX_COLUMNS; i++) {
            apply(ColumnChange.addColumn("c" + i, type("bigint"), Optional.empty()));
        }
        refuses(
                "1 to 1000 columns",
                ColumnChange.addColumn("one_more", type("bigint"), Optional.empty()));
    }

    @Test
    void notNullIsDropped() {
        apply(ColumnChange.dropNotNull("plain"));
        assertThat(column("plain").nullable()).isTrue();
        assertThat(table.schemaVersion()).isEqualTo(2);
    }

    @Test
    void schemasComeBackFromJson() {
        apply(ColumnChange.drop(List.of("nested", "m", "value", "v")));
        assertThat(SchemaJson.fromJson(SchemaJson.toJson(table))).isEqualTo(table);
        String old = SchemaJson.toJson(table());
        assertThat(old).doesNotContain("fieldIds");
        assertThat(SchemaJson.fromJson(old)).isEqualTo(table());
    }

    private void apply(ColumnChange change) {
        SchemaEditor editor = new SchemaEditor(table, nextId);
        table = editor.apply(change);
        nextId = editor.nextColumnId();
    }

    private ColumnSchema column(String name) {
        return table.findColumn(name).orElseThrow();
    }

    private void refuses(String message, ColumnChange change) {
        refuses(ErrorCode.INVALID_ARGUMENT, message, change);
    }

    private void refusesExisting(String message, ColumnChange change) {
        refuses(ErrorCode.COLUMN_ALREADY_EXISTS, message, change);
    }

    private void refusesMissing(ColumnChange change) {
        refuses(ErrorCode.COLUMN_NOT_FOUND, "Expected", change);
    }

    private void refuses(ErrorCode code, String message, ColumnChange change) {
        assertThatThrownBy(() -> apply(change))
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    private static DataType type(String text) {
        return DataType.parse(text);
    }

    private static TableSchema table() {
        return TableSchema.builder("s", "t")
                .columns(
                        List.of(
                                new ColumnSchema(1, "primary", type("integer")).notNull(),
                                new ColumnSchema(2, "clustering", type("integer")),
                                new ColumnSchema(3, "segment", type("integer")),
                                new ColumnSchema(4, "bitmap", type("integer")),
                                new ColumnSchema(5, "dictionary", type("varchar(3)")),
                                new ColumnSchema(6, "indexed", type("integer")),
                                new ColumnSchema(7, "plain", type("integer")).notNull(),
                                new ColumnSchema(
                                        10,
                                        "nested",
                                        type(
                                                "row(\"list\" array(row(\"x\" integer)), \"m\" map(bigint, row(\"v\" varchar, \"w\" real)), \"n\" tinyint)"))))
                .primaryKey(List.of(1))
                .clusteringKey(List.of(2))
                .shardCount(2)
                .options(
                        new TableOptions(
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                List.of(3),
                                List.of(4),
                                List.of(5),
                                List.of(new IndexSchema(1, "i", List.of(6), false, true))))
                .build();
    }
}
