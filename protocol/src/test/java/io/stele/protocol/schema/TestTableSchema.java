package io.stele.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class TestTableSchema {
    private static final List<ColumnSchema> COLUMNS =
            List.of(
                    new ColumnSchema(1, "region", DataType.parse("varchar(10)")).notNull(),
                    new ColumnSchema(2, "id", ScalarType.BIGINT)
                            .notNull()
                            .withComment(Optional.of("the key")),
                    new ColumnSchema(7, "tags", DataType.parse("map(varchar, array(double))")),
                    new ColumnSchema(4, "day", ScalarType.DATE).notNull());

    private static TableSchema schema(
            List<ColumnSchema> columns,
            List<Integer> primaryKey,
            List<Integer> distribution,
            List<Integer> clustering,
            List<Integer> partitions) {
        return TableSchema.builder("sales", "orders")
                .id(new TableId(9))
                .schemaVersion(3)
                .columns(columns)
                .primaryKey(primaryKey)
                .distributionKey(distribution)
                .clusteringKey(clustering)
                .partitionedBy(partitions)
                .orientation(Orientation.ROW_COLUMN)
                .tableGroup(2)
                .shardCount(16)
                .comment(Optional.of("all orders"))
                .build();
    }

    @Test
    void jsonRoundTrip() {
        TableSchema schema = schema(COLUMNS, List.of(2, 1, 4), List.of(1), List.of(4), List.of(4));
        assertThat(SchemaJson.fromJson(SchemaJson.toJson(schema))).isEqualTo(schema);
        assertThat(SchemaJson.toJson(schema))
                .isEqualTo(
                        "{\"id\":9,\"schemaName\":\"sales\",\"tableName\":\"orders\",\"schemaVersion\":3,\"columns\":["
                                + "{\"id\":1,\"name\":\"region\",\"type\":\"varchar(10)\",\"nullable\":false,\"comment\":null},"
                                + "{\"id\":2,\"name\":\"id\",\"type\":\"bigint\",\"nullable\":false,\"comment\":\"the key\"},"
                                + "{\"id\":7,\"name\":\"tags\",\"type\":\"map(varchar, array(double))\",\"nullable\":true,\"comment\":null},"
                                + "{\"id\":4,\"name\":\"day\",\"type\":\"date\",\"nullable\":false,\"comment\":null}],"
                                + "\"primaryKey\":[2,1,4],\"distributionKey\":[1],\"clusteringKey\":[4],\"partitionedBy\":[4],"
                                + "\"orientation\":\"row,column\",\"tableGroup\":2,\"shardCount\":16,\"comment\":\"all orders\","
                                + "\"options\":{\"retentionMillis\":null,\"timeToLiveMillis\":null,\"segmentKey\":[],"
                                + "\"bitmapColumns\":[],\"dictionaryColumns\":[],\"indexes\":[]}}");
        TableOptions options =
                new TableOptions(
                        OptionalLong.of(3_600_000),
                        OptionalLong.of(86_400_000),
                        List.of(4),
                        List.of(1),
                        List.of(1),
                        List.of(
                                new IndexSchema(1, "by_day", List.of(4), false, true),
                                new IndexSchema(2, "by_region", List.of(1, 4), true, false)));
        TableSchema full = schema.withOptions(options);
        assertThat(SchemaJson.fromJson(SchemaJson.toJson(full))).isEqualTo(full);
    }

    @Test
    void refusesOptionsThatCannotWork() {
        List<Integer> none = List.of();
        TableSchema keyed = schema(COLUMNS, List.of(2, 1), List.of(1), none, none);
        TableOptions options = TableOptions.NONE;
        assertRefused(
                () -> keyed.withOptions(options.withSegmentKey(List.of(7))),
                "segment_key of orderable columns");
        assertRefused(
                () -> keyed.withOptions(options.withDictionaryColumns(List.of(2))),
                "dictionary_columns of type varchar or char, found 'id' of type bigint");
        assertRefused(
                () -> keyed.withOptions(options.withIndexes(List.of(index("by_id", 2, true)))),
                "a unique index 'by_id' that contains the distribution key");
        assertRefused(
                () ->
                        schema(COLUMNS, none, none, none, none)
                                .withOptions(
                                        options.withIndexes(List.of(index("by_id", 2, false)))),
                "a primary_key for index 'by_id'");
        assertRefused(
                () -> options.withIndexes(List.of(index("a", 2, false), index("a", 1, false))),
                "id 1 twice");
        assertRefused(() -> options.withTimeToLiveMillis(OptionalLong.of(0)), "found 0 ms");
    }

    @Test
    void indexDefinitionsAreReadAndWritten() {
        IndexDefinition definition = IndexDefinition.parse(" UNIQUE By_Mail ( Region,  mail)");
        assertThat(definition)
                .isEqualTo(new IndexDefinition("by_mail", List.of("region", "mail"), true));
        assertThat(definition.text()).isEqualTo("unique by_mail(region, mail)");
        assertThat(IndexDefinition.parse(definition.text())).isEqualTo(definition);
        assertRefused(() -> IndexDefinition.parse("mail"), "found 'mail'");
        assertRefused(() -> IndexDefinition.parse("a(b) c"), "found 'a(b) c'");
    }

    private static IndexSchema index(String name, int column, boolean unique) {
        return new IndexSchema(1, name, List.of(column), unique, true);
    }

    @Test
    void brokenJsonIsRefusedWithItsReason() {
        String json =
                SchemaJson.toJson(schema(COLUMNS, List.of(2), List.of(), List.of(), List.of()));
        assertRefused(() -> SchemaJson.fromJson(json.replace("bigint", "bigit")), "found bigit");
        assertRefused(
                () -> SchemaJson.fromJson(json.replace("\"shardCount\":16", "\"shardCount\":0")),
                "found 0");
        assertRefused(() -> SchemaJson.fromJson(json.substring(9)), "JSON of a table schema");
        assertRefused(() -> SchemaJson.fromJson("null"), "JSON of a table schema");
        assertRefused(() -> SchemaJson.fromJson("{}"), "JSON of a table schema");
    }

    @Test
    void findsColumns() {
        TableSchema schema = schema(COLUMNS, List.of(2, 1), List.of(), List.of(), List.of());
        assertThat(schema.primaryKeyColumns())
                .extracting(ColumnSchema::name)
                .containsExactly("id", "region");
        assertThat(schema.distributionColumns())
                .extracting(ColumnSchema::name)
                .containsExactly("id", "region");
        assertThat(schema.findColumn("DAY")).contains(COLUMNS.get(3));
        assertThat(schema.findColumn("none")).isEmpty();
        assertThat(schema.indexOf(7)).isEqualTo(2);
        assertThat(schema.shards()).hasSize(16).contains(schema.shard(15));
        assertThatThrownBy(() -> schema.column(3))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.COLUMN_NOT_FOUND))
                .hasMessage("Expected a column of sales.orders, found id 3");
    }

    @Test
    void refusesKeysThatCannotWork() {
        List<Integer> none = List.of();
        assertRefused(
                () -> schema(COLUMNS, List.of(7), none, none, none),
                "primary_key of orderable columns");
        assertRefused(() -> schema(COLUMNS, List.of(2, 2), none, none, none), "without repetition");
        assertRefused(
                () -> schema(COLUMNS, List.of(2), List.of(1), none, none),
                "distribution_key within primary_key");
        assertRefused(
                () -> schema(COLUMNS, List.of(2), none, none, List.of(4)),
                "partitioned_by within primary_key");
        List<ColumnSchema> nullable = List.of(new ColumnSchema(1, "a", ScalarType.BIGINT));
        assertRefused(() -> schema(nullable, List.of(1), none, none, none), "nullable column 'a'");
        assertThat(schema(nullable, none, List.of(1), List.of(1), List.of(1)).hasPrimaryKey())
                .isFalse();
        assertThatThrownBy(() -> schema(COLUMNS, List.of(99), none, none, none))
                .hasMessage("Expected a column in primary_key, found id 99");
    }

    @Test
    void refusesColumnsThatClash() {
        List<Integer> none = List.of();
        ColumnSchema a = new ColumnSchema(1, "a", ScalarType.BIGINT);
        assertRefused(
                () ->
                        schema(
                                List.of(a, new ColumnSchema(1, "b", ScalarType.BIGINT)),
                                none,
                                none,
                                none,
                                none),
                "id 1 twice");
        assertRefused(
                () ->
                        schema(
                                List.of(a, new ColumnSchema(2, "A", ScalarType.BIGINT)),
                                none,
                                none,
                                none,
                                none),
                "'A' twice");
        assertRefused(() -> schema(none(), none, none, none, none), "1 to 1000 columns, found 0");
        List<ColumnSchema> many = new ArrayList<>();
        for (int i = 1; i <= 1001; i++) {
            many.add(new ColumnSchema(i, "c" + i, ScalarType.BIGINT));
        }
        assertRefused(() -> schema(many, none, none, none, none), "1 to 1000 columns, found 1001");
        for (String name : List.of("_lsn", "_ROW_ID", "$path", "", "a\nb", "x".repeat(129))) {
            assertRefused(() -> new ColumnSchema(1, name, ScalarType.BIGINT), "a column name");
        }
    }

    @Test
    void orientationIsReadInEverySpelling() {
        assertThat(Orientation.parse("Column, Row")).isEqualTo(Orientation.ROW_COLUMN);
        assertThat(Orientation.parse("row")).isEqualTo(Orientation.ROW);
        assertRefused(() -> Orientation.parse("rows"), "found 'rows'");
    }

    private static List<ColumnSchema> none() {
        return List.of();
    }

    private static void assertRefused(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable action, String message) {
        assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }
}
