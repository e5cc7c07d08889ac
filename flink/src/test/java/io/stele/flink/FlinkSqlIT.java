package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.flink.option.DeliveryGuarantee;
import io.stele.protocol.schema.Orientation;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements of Flink on tables of a real sidecar: sinks, scans, lookup joins and the catalog. */
final class FlinkSqlIT extends BaseSidecarIT {
    private static final String ALL_TYPES =
            """
            id BIGINT, b BOOLEAN, t TINYINT, s SMALLINT, i INT, r FLOAT, d DOUBLE, m DECIMAL(12, 2), n DECIMAL(38, 5), \
            v STRING, w VARCHAR(10), c CHAR(3), y BYTES, da DATE, ti TIME(3), ts TIMESTAMP(6), tn TIMESTAMP(9), \
            tz TIMESTAMP_LTZ(3), u STRING, a ARRAY<INT>, mp MAP<STRING, BIGINT>, ro ROW<x INT, z STRING>, j STRING, \
            PRIMARY KEY (id) NOT ENFORCED""";

    @Test
    void everyTypeComesBackAsItWas() throws Exception {
        sidecar.createTable(
                "types",
                Orientation.COLUMN,
                1,
                "id bigint",
                "b boolean",
                "t tinyint",
                "s smallint",
                "i integer",
                "r real",
                "d double",
                "m decimal(12,2)",
                "n decimal(38,5)",
                "v varchar",
                "w varchar(10)",
                "c char(3)",
                "y varbinary",
                "da date",
                "ti time(3)",
                "ts timestamp(6)",
                "tn timestamp(9)",
                "tz timestamp(3) with time zone",
                "u uuid",
                "a array(integer)",
                "mp map(varchar, bigint)",
                "ro row(x integer, z varchar)",
                "j json");
        TableEnvironment tables = batch();
        declare(tables, "types", ALL_TYPES, "");
        String uuid = "12345678-1234-1234-1234-123456789abc";
        run(
                tables,
                """
                INSERT INTO types VALUES
                (1, TRUE, CAST(1 AS TINYINT), CAST(2 AS SMALLINT), 3, CAST(1.5 AS FLOAT), CAST(2.5 AS DOUBLE), 10.25, CAST('123456789012345678901234567890.12345' AS DECIMAL(38, 5)),
                 'text', 'ten', 'abc', x'0102', DATE '2026-01-02', TIME '01:02:03.004', TIMESTAMP '1966-01-02 03:04:05.123456', TIMESTAMP '2026-01-02 03:04:05.123456789',
                 TO_TIMESTAMP_LTZ(1767322445123, 3), '%s', ARRAY[1, 2], MAP['k', CAST(7 AS BIGINT)], ROW(1, 'z'), '{"a":1}'),
                (2, CAST(NULL AS BOOLEAN), CAST(NULL AS TINYINT), CAST(NULL AS SMALLINT), CAST(NULL AS INT), CAST(NULL AS FLOAT), CAST(NULL AS DOUBLE), CAST(NULL AS DECIMAL(12, 2)),
                 CAST(NULL AS DECIMAL(38, 5)), CAST(NULL AS STRING), CAST(NULL AS STRING), CAST(NULL AS CHAR(3)), CAST(NULL AS BYTES), CAST(NULL AS DATE), CAST(NULL AS TIME(3)),
                 CAST(NULL AS TIMESTAMP(6)), CAST(NULL AS TIMESTAMP(9)), CAST(NULL AS TIMESTAMP_LTZ(3)), CAST(NULL AS STRING), CAST(NULL AS ARRAY<INT>),
                 CAST(NULL AS MAP<STRING, BIGINT>), CAST(NULL AS ROW<x INT, z STRING>), CAST(NULL AS STRING))"""
                        .formatted(uuid));
        List<Row> rows = query(tables, "SELECT * FROM types ORDER BY id");
        assertThat(rows).hasSize(2);
        Row first = rows.get(0);
        assertThat(first.getField("y")).isEqualTo(new byte[] {1, 2});
        first.setField("y", null);
        assertThat(first.getField("a")).isEqualTo(new Integer[] {1, 2});
        first.setField("a", null);
        assertThat(first)
                .isEqualTo(
                        Row.of(
                                1L,
                                true,
                                (byte) 1,
                                (short) 2,
                                3,
                                1.5f,
                                2.5,
                                new BigDecimal("10.25"),
                                new BigDecimal("123456789012345678901234567890.12345"),
                                "text",
                                "ten",
                                "abc",
                                null,
                                LocalDate.of(2026, 1, 2),
                                LocalTime.of(1, 2, 3, 4_000_000),
                                LocalDateTime.of(1966, 1, 2, 3, 4, 5, 123_456_000),
                                LocalDateTime.of(2026, 1, 2, 3, 4, 5, 123_456_789),
                                Instant.ofEpochMilli(1767322445123L),
                                uuid,
                                null,
                                Map.of("k", 7L),
                                Row.of(1, "z"),
                                "{\"a\":1}"));
        assertThat(rows.get(1)).isEqualTo(Row.of(row(2L, 22)));
        List<Object> stored =
                sidecar.rows("shop", "types").stream()
                        .filter(row -> row.get(0).equals(1L))
                        .findFirst()
                        .orElseThrow();
        assertThat(stored.get(18)).isEqualTo(UUID.fromString(uuid));
        assertThat(stored.get(17)).isEqualTo(Instant.ofEpochMilli(1767322445123L));
    }

    private static Object[] row(Object first, int nulls) {
        Object[] values = new Object[nulls + 1];
        values[0] = first;
        return values;
    }

    @Test
    void scansProjectFilterLimitAndCount() throws Exception {
        sidecar.createTable(
                "numbers", Orientation.COLUMN, 1, "id bigint", "half integer", "name varchar");
        TableEnvironment tables = batch();
        declare(
                tables,
                "numbers",
                "id BIGINT, half INT, name STRING, PRIMARY KEY (id) NOT ENFORCED",
                "");
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", "numbers")) {
            for (int i = 0; i < 500; i++) {
                writer.write((long) i, i / 2, "n" + i);
            }
        }
        assertThat(query(tables, "SELECT COUNT(*) FROM numbers")).containsExactly(Row.of(500L));
        assertThat(query(tables, "SELECT name FROM numbers WHERE id >= 10 AND id < 12 ORDER BY id"))
                .containsExactly(Row.of("n10"), Row.of("n11"));
        assertThat(query(tables, "SELECT half, id FROM numbers WHERE 7 = id"))
                .containsExactly(Row.of(3, 7L));
        assertThat(
                        query(
                                tables,
                                "SELECT id FROM numbers WHERE name = 'n400' OR id = 3 ORDER BY id"))
                .containsExactly(Row.of(3L), Row.of(400L));
        assertThat(query(tables, "SELECT id FROM numbers WHERE name IS NULL")).isEmpty();
        assertThat(query(tables, "SELECT id FROM numbers LIMIT 7")).hasSize(7);
        assertThat(tables.explainSql("SELECT name FROM numbers WHERE id = 3 LIMIT 7"))
                .contains("filter=[=(id, 3")
                .contains("project=[id, name]");
        assertThat( // two scans that differ in nothing but what they leave out
                        query(
                                tables,
                                "SELECT id FROM numbers WHERE id = 3 UNION ALL SELECT id FROM numbers WHERE id = 4"))
                .containsExactlyInAnyOrder(Row.of(3L), Row.of(4L));
    }

    /** A streaming session in this JVM. */
    private record Streaming(
            StreamExecutionEnvironment environment, StreamTableEnvironment tables) {
        static Streaming open() {
            StreamExecutionEnvironment environment =
                    StreamExecutionEnvironment.createLocalEnvironment(2);
            environment.enableCheckpointing(200);
            StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
            // As all of Flink's sinks with a key took rows before 2.3: the last one counts
            tables.getConfig().set("table.exec.sink.require-on-conflict", "false");
            return new Streaming(environment, tables);
        }

        /** A session that has a table. */
        static Streaming writing(String table, String columns, DeliveryGuarantee guarantee) {
            Streaming session = open();
            declare(
                    session.tables,
                    table,
                    columns,
                    ", 'sink.delivery-guarantee' = '" + guarantee + "'");
            return session;
        }

        /** Changes of rows (id, name, note) as a table. */
        Table changes(Row... changes) {
            DataStream<Row> stream =
                    environment
                            .fromData(
                                    Types.ROW_NAMED(
                                            new String[] {"id", "name", "note"},
                                            Types.LONG,
                                            Types.STRING,
                                            Types.STRING),
                                    changes)
                            .setParallelism(1);
            return tables.fromChangelogStream(
                    stream,
                    Schema.newBuilder()
                            .column("id", "BIGINT NOT NULL")
                            .column("name", "STRING")
                            .column("note", "STRING")
                            .primaryKey("id")
                            .build(),
                    ChangelogMode.upsert());
        }
    }

    private static final String NOTES =
            "id BIGINT, name STRING, note STRING, PRIMARY KEY (id) NOT ENFORCED";

    private static void createNotes(String tableName) {
        sidecar.createTable(
                tableName, Orientation.ROW, 1, "id bigint", "name varchar", "note varchar");
    }

    @ParameterizedTest
    @EnumSource(DeliveryGuarantee.class)
    void changesEndInTheStateThatTheyDescribe(DeliveryGuarantee guarantee) throws Exception {
        String table = "changed_" + guarantee.ordinal();
        createNotes(table);
        Streaming session = Streaming.writing(table, NOTES, guarantee);
        session.changes(
                        Row.ofKind(RowKind.INSERT, 1L, "a", "x"),
                        Row.ofKind(RowKind.INSERT, 2L, "b", "x"),
                        Row.ofKind(RowKind.UPDATE_AFTER, 1L, "c", null),
                        Row.ofKind(RowKind.DELETE, 2L, "b", "x"),
                        Row.ofKind(RowKind.INSERT, 3L, "d", "x"),
                        Row.ofKind(RowKind.DELETE, 3L, "d", "x"),
                        Row.ofKind(RowKind.INSERT, 3L, "e", "y"))
                .executeInsert(table)
                .await();
        assertThat(sidecar.rows("shop", table))
                .containsExactlyInAnyOrder(Arrays.asList(1L, "c", null), List.of(3L, "e", "y"));
    }

    @ParameterizedTest
    @EnumSource(DeliveryGuarantee.class)
    void someColumnsChangeAndTheOthersStay(DeliveryGuarantee guarantee) throws Exception {
        String table = "partial_" + guarantee.ordinal();
        createNotes(table);
        Streaming session = Streaming.writing(table, NOTES, guarantee);
        run(
                session.tables(),
                "INSERT INTO %s VALUES (1, 'a', 'one'), (2, 'b', 'two'), (3, 'c', 'three')"
                        .formatted(table));
        session.tables()
                .createTemporaryView(
                        "source",
                        session.changes(
                                Row.ofKind(RowKind.UPDATE_AFTER, 1L, "A", "ignored"),
                                Row.ofKind(RowKind.INSERT, 2L, "x", "ignored"),
                                Row.ofKind(RowKind.DELETE, 2L, null, null),
                                Row.ofKind(RowKind.INSERT, 2L, "B", "ignored"),
                                Row.ofKind(RowKind.INSERT, 4L, "D", "ignored")));
        run(
                session.tables(),
                "INSERT INTO %s (id, name) SELECT id, name FROM source".formatted(table));
        assertThat(sidecar.rows("shop", table))
                .containsExactlyInAnyOrder(
                        List.of(1L, "A", "one"),
                        Arrays.asList(2L, "B", null), // a row that came after a deletion
                        List.of(3L, "c", "three"),
                        Arrays.asList(4L, "D", null));
    }

    /** As docs/streaming.md says: Flink keeps no rows of such a query. */
    @Test
    void theLastInsertedRowOfAKeyCountsWithoutState() throws Exception {
        createNotes("last");
        StreamTableEnvironment tables =
                Streaming.writing("last", NOTES, DeliveryGuarantee.EXACTLY_ONCE).tables();
        String inserted =
                "INSERT INTO last SELECT * FROM (VALUES (CAST(1 AS BIGINT), 'a', 'x'), (2, 'b', 'x'), (1, 'c', 'y')) AS v (id, name, note)";
        assertThat(tables.explainSql(inserted)).contains("upsertMaterialize=[true]");
        tables.getConfig().set("table.exec.sink.require-on-conflict", "true");
        assertThatThrownBy(() -> tables.explainSql(inserted)).hasMessageContaining("ON CONFLICT");
        String deduplicated = inserted + " ON CONFLICT DO DEDUPLICATE";
        assertThat(tables.explainSql(deduplicated)).doesNotContain("upsertMaterialize=[true]");
        run(tables, deduplicated);
        assertThat(sidecar.rows("shop", "last"))
                .containsExactlyInAnyOrder(List.of(1L, "c", "y"), List.of(2L, "b", "x"));
    }

    @Test
    void retractionsOfAnAggregationEndInTheRightState() throws Exception {
        sidecar.createTable("counts", Orientation.COLUMN, 1, "n bigint", "names bigint");
        Streaming session = Streaming.open();
        declare(
                session.tables(),
                "counts",
                "n BIGINT, names BIGINT, PRIMARY KEY (n) NOT ENFORCED",
                "");
        List<Row> rows = new ArrayList<>();
        for (long id = 0; id < 300; id++) {
            rows.add(Row.ofKind(RowKind.INSERT, id, "n" + id % 17, ""));
        }
        session.tables().createTemporaryView("source", session.changes(rows.toArray(Row[]::new)));
        run( // how many names occur how often: each row moves a name to the next number
                session.tables(),
                "INSERT INTO counts SELECT n, COUNT(*) FROM (SELECT name, COUNT(*) AS n FROM source GROUP BY name) GROUP BY n");
        assertThat(sidecar.rows("shop", "counts"))
                .containsExactlyInAnyOrder(List.of(18L, 11L), List.of(17L, 6L));
    }

    @ParameterizedTest
    @EnumSource(DeliveryGuarantee.class)
    void tablesWithoutAKeyTakeRowsAndRefuseChanges(DeliveryGuarantee guarantee) throws Exception {
        String table = "appended_" + guarantee.ordinal();
        sidecar.createTable(table, Orientation.COLUMN, 0, "id bigint", "name varchar");
        Streaming session = Streaming.writing(table, "id BIGINT, name STRING", guarantee);
        run(
                session.tables(),
                "INSERT INTO %s VALUES (1, 'a'), (1, 'a'), (2, 'b')".formatted(table));
        assertThat(sidecar.rows("shop", table))
                .containsExactlyInAnyOrder(List.of(1L, "a"), List.of(1L, "a"), List.of(2L, "b"));
        session.tables()
                .createTemporaryView(
                        "source", session.changes(Row.ofKind(RowKind.INSERT, 1L, "a", "x")));
        assertThatThrownBy(
                        () ->
                                run(
                                        session.tables(),
                                        "INSERT INTO %s SELECT COUNT(*), name FROM source GROUP BY name"
                                                .formatted(table)))
                .hasMessageContaining("doesn't support consuming update and delete changes");
    }

    @Test
    void aWrongDeclarationFailsWhenTheStatementIsPlanned() throws Exception {
        createNotes("planned");
        sidecar.createTable("keyless", Orientation.COLUMN, 0, "id bigint", "name varchar");
        TableEnvironment tables = batch();
        declare(tables, "absent", NOTES, "");
        assertPlanFails(
                tables, "absent", "Expected table shop.absent in Stele at 127.0.0.1:", "none");
        declare(tables, "planned", NOTES.replace("note STRING", "remark STRING"), "");
        assertPlanFails(
                tables,
                "planned",
                "Expected column 'remark' in table shop.planned of Stele, found only [id, name, note]");
        declareAgain(tables, "planned", NOTES.replace("note STRING", "note INT"), "");
        assertPlanFails(
                tables,
                "planned",
                "Expected column 'note' of table shop.planned declared as STRING, since it is varchar in Stele; found INT");
        declareAgain(tables, "planned", "id BIGINT, name STRING", "");
        assertPlanFails(
                tables,
                "planned",
                "Expected PRIMARY KEY (id) NOT ENFORCED for table shop.planned of Stele, found no primary key");
        declareAgain(tables, "planned", NOTES, ", 'sink.paralelism' = '2'");
        assertPlanFails(tables, "planned", "Unsupported options found", "sink.paralelism");
        declareAgain(tables, "planned", NOTES, ", 'scan.snapshot-ttl' = '1 s'");
        assertPlanFails(
                tables, "planned", "Expected 'scan.snapshot-ttl' of PT5S to PT1H, found PT1S");
        declare(tables, "keyless", "id BIGINT, PRIMARY KEY (id) NOT ENFORCED", "");
        assertPlanFails(
                tables,
                "keyless",
                "Expected no primary key for table shop.keyless of Stele, found PRIMARY KEY (id) NOT ENFORCED");
    }

    private static void assertPlanFails(TableEnvironment tables, String table, String... messages) {
        assertThatThrownBy(() -> tables.explainSql("SELECT * FROM " + table))
                .isInstanceOf(ValidationException.class)
                .satisfies(
                        failed -> {
                            String all =
                                    failed.getMessage()
                                            + (failed.getCause() == null
                                                    ? ""
                                                    : failed.getCause().getMessage());
                            assertThat(all).contains(messages);
                        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'lookup.async' = 'false'",
                "'lookup.async' = 'true'",
                "'lookup.cache' = 'PARTIAL', 'lookup.partial-cache.max-rows' = '100'"
            })
    void lookupJoinsFindRowsByKey(String options) throws Exception {
        String table = "dimension_" + Math.abs(options.hashCode());
        sidecar.createTable(
                table, Orientation.ROW, 2, "region varchar", "id bigint", "name varchar");
        Streaming session = Streaming.open();
        declare(
                session.tables(),
                table,
                "name STRING, id BIGINT, region STRING, PRIMARY KEY (region, id) NOT ENFORCED",
                ", " + options);
        run(
                session.tables(),
                "INSERT INTO %s VALUES ('one', 1, 'eu'), ('two', 2, 'eu'), ('deux', 2, 'fr')"
                        .formatted(table));
        List<Row> events = new ArrayList<>();
        for (long i = 0; i < 200; i++) {
            events.add(
                    Row.ofKind(
                            RowKind.INSERT, i, i % 4 == 3 ? null : "eu", i % 2 == 0 ? "two" : "x"));
        }
        session.tables().createTemporaryView("events", session.changes(events.toArray(Row[]::new)));
        session.tables()
                .executeSql(
                        "CREATE TEMPORARY VIEW timed AS SELECT id, name AS region, note, MOD(id, 4) AS k, PROCTIME() AS p FROM events");
        List<Row> joined =
                query(
                        session.tables(),
                        """
                        SELECT e.id, d.name FROM timed AS e
                        LEFT JOIN %s FOR SYSTEM_TIME AS OF e.p AS d ON e.k = d.id AND e.region = d.region"""
                                .formatted(table));
        Map<Long, String> names = new TreeMap<>();
        for (Row row : joined) {
            if (row.getKind() == RowKind.INSERT || row.getKind() == RowKind.UPDATE_AFTER) {
                names.put(row.getFieldAs(0), row.getFieldAs(1));
            }
        }
        assertThat(names).hasSize(200);
        names.forEach(
                (id, name) ->
                        assertThat(name)
                                .isEqualTo(id % 4 == 1 ? "one" : id % 4 == 2 ? "two" : null));
        assertThat( // with a condition on a column that is no key
                        query(
                                session.tables(),
                                """
                                SELECT e.id FROM timed AS e JOIN %s FOR SYSTEM_TIME AS OF e.p AS d
                                ON e.k = d.id AND e.region = d.region AND e.note = d.name WHERE e.id < 8"""
                                        .formatted(table)))
                .extracting(row -> row.getField(0))
                .containsExactlyInAnyOrder(2L, 6L);
        assertThatThrownBy(
                        () ->
                                session.tables()
                                        .explainSql(
                                                "SELECT e.id FROM timed AS e JOIN %s FOR SYSTEM_TIME AS OF e.p AS d ON e.k = d.id"
                                                        .formatted(table)))
                .rootCause()
                .hasMessageContaining(
                        "Expected a lookup join on the whole primary key (region, id) of table shop."
                                + table
                                + ", found columns (id)");
    }

    @Test
    void theCatalogCreatesListsUsesAndDropsTables() throws Exception {
        TableEnvironment tables = batch();
        tables.executeSql(
                "CREATE CATALOG s WITH ('type' = 'stele', %s)".formatted(sidecar.options()));
        tables.useCatalog("s");
        tables.executeSql("CREATE DATABASE IF NOT EXISTS made");
        tables.executeSql("CREATE DATABASE IF NOT EXISTS made");
        tables.useDatabase("made");
        tables.executeSql(
                """
                CREATE TABLE orders (
                    id BIGINT COMMENT 'of the shop', placed DATE NOT NULL, total DECIMAL(12, 2), lines ARRAY<ROW<sku STRING, n INT>>,
                    PRIMARY KEY (id, placed) NOT ENFORCED)
                COMMENT 'what was ordered' PARTITIONED BY (placed)
                WITH ('orientation' = 'column', 'shard-count' = '2', 'distribution-key' = 'id')""");
        assertThat(tables.listTables()).containsExactly("orders");
        assertThat(query(tables, "SHOW CREATE TABLE orders").get(0).toString())
                .contains("PRIMARY KEY (`id`, `placed`) NOT ENFORCED")
                .contains("PARTITIONED BY (`placed`)")
                .contains("'of the shop'")
                .contains("COMMENT 'what was ordered'")
                .contains("'shard-count' = '2'")
                .doesNotContain(FlinkSidecar.SECRET);
        run(
                tables,
                "INSERT INTO orders VALUES (1, DATE '2026-01-01', 9.99, ARRAY[ROW('a', 2)]), (2, DATE '2026-01-02', 5.00, ARRAY[ROW('b', 1)])");
        assertThat(query(tables, "SELECT id, total FROM orders WHERE total > 6"))
                .containsExactly(Row.of(1L, new BigDecimal("9.99")));
        run(
                tables,
                "INSERT INTO orders PARTITION (placed = '2026-01-03') VALUES (3, 7.00, ARRAY[ROW('c', 1)])");
        assertThat(query(tables, "SELECT placed FROM orders WHERE id = 3"))
                .containsExactly(Row.of(LocalDate.of(2026, 1, 3)));
        tables.executeSql("ALTER TABLE orders RENAME TO bought");
        assertThat(tables.listTables()).containsExactly("bought");
        tables.executeSql(
                "ALTER TABLE bought ADD (extra INT COMMENT 'later' AFTER id, more STRING)");
        tables.executeSql("ALTER TABLE bought RENAME more TO further");
        tables.executeSql("ALTER TABLE bought MODIFY (extra BIGINT COMMENT 'wider')");
        run(
                tables,
                "INSERT INTO bought (id, placed, extra, further) VALUES (4, DATE '2026-01-04', 5000000000, 'x')");
        assertThat(query(tables, "SELECT * FROM bought WHERE id = 4"))
                .containsExactly(
                        Row.of(4L, 5_000_000_000L, LocalDate.of(2026, 1, 4), null, null, "x"));
        assertThat(query(tables, "SHOW CREATE TABLE bought").get(0).toString())
                .contains("`extra` BIGINT COMMENT 'wider'");
        tables.executeSql("ALTER TABLE bought DROP (extra, further)");
        assertThat(query(tables, "SELECT * FROM bought WHERE id = 4"))
                .containsExactly(Row.of(4L, LocalDate.of(2026, 1, 4), null, null));
        assertThatThrownBy(
                        () -> tables.executeSql("ALTER TABLE bought ADD (a INT, b INT NOT NULL)"))
                .hasStackTraceContaining("Expected a nullable new column in table made.bought");
        assertThat(query(tables, "SHOW COLUMNS FROM bought")).hasSize(4);
        assertThatThrownBy(() -> tables.executeSql("ALTER TABLE bought MODIFY id INT"))
                .hasStackTraceContaining("Cannot alter table made.bought in Stele at");
        assertThatThrownBy(() -> tables.executeSql("ALTER TABLE bought SET ('retention' = '1 h')"))
                .hasStackTraceContaining("Expected an ALTER TABLE made.bought that adds");
        assertThatThrownBy(() -> tables.executeSql("CREATE TABLE wrong (i INT MULTISET)"))
                .hasStackTraceContaining("Expected a type that Stele stores for column 'i'");
        assertThatThrownBy(
                        () -> tables.executeSql("CREATE TABLE wrong (i INT) WITH ('shards' = '1')"))
                .hasStackTraceContaining("found [shards]");
        sidecar.createTable("fine", Orientation.COLUMN, 0, "id bigint", "at time(9)");
        assertThatThrownBy(() -> query(tables, "SELECT * FROM shop.fine"))
                .hasStackTraceContaining("found column 'at' of type time(9)");
        tables.useDatabase("shop");
        assertThatThrownBy(() -> tables.executeSql("DROP DATABASE made RESTRICT"))
                .hasStackTraceContaining("not empty");
        tables.executeSql("DROP TABLE made.bought");
        tables.executeSql("DROP TABLE IF EXISTS made.bought");
        tables.executeSql("DROP DATABASE made");
        assertThat(tables.listDatabases()).doesNotContain("made");
    }

    @Test
    void aSidecarThatIsAwayOrRefusesIsNamed() throws Exception {
        TableEnvironment tables = batch();
        assertThatThrownBy(
                        () ->
                                tables.executeSql(
                                        "CREATE CATALOG wrong WITH ('type' = 'stele', 'endpoints' = '%s', 'secret' = '%s')"
                                                .formatted(
                                                        sidecar.endpoint(),
                                                        "another secret than that of the sidecar")))
                .hasStackTraceContaining("Cannot list schemas in Stele at " + sidecar.endpoint());
        assertThatThrownBy(
                        () ->
                                tables.executeSql(
                                        "CREATE CATALOG wrong WITH ('type' = 'stele', 'endpoints' = 'nowhere', 'secret' = '%s')"
                                                .formatted(FlinkSidecar.SECRET)))
                .hasStackTraceContaining(
                        "Expected host:port in option 'endpoints', found 'nowhere'");
    }
}
