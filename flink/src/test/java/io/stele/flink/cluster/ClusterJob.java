package io.stele.flink.cluster;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;

/**
 * The job of {@link StandaloneClusterIT}: generated changes into a table with a primary key and one
 * without. They come slowly until a file exists, and then all at once.
 *
 * <p>Arguments: options of the connection, number of changes, and the file.
 */
public final class ClusterJob {
    static final long SEED = 26;

    private static final double CHANGES_PER_SECOND = 50;

    private ClusterJob() {}

    public static void main(String[] arguments) {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        DataStream<Row> changes =
                environment
                        .fromSource(
                                new DataGeneratorSource<>(
                                        new GeneratedChanges(SEED),
                                        Long.parseLong(arguments[1]),
                                        new UntilOpened(CHANGES_PER_SECOND, arguments[2]),
                                        GeneratedChanges.ROW),
                                WatermarkStrategy.noWatermarks(),
                                "changes")
                        .uid("changes")
                        .setParallelism(1);
        tables.createTemporaryView(
                "changes",
                tables.fromChangelogStream(
                        changes,
                        Schema.newBuilder()
                                .column("id", "BIGINT NOT NULL")
                                .column("change", "BIGINT")
                                .primaryKey("id")
                                .build(),
                        ChangelogMode.upsert()));
        tables.createTemporaryView(
                "log",
                tables.fromDataStream(
                        changes.map(new Inserted(), GeneratedChanges.ROW)
                                .uid("inserted")
                                .setParallelism(1)));
        tables.executeSql(
                "CREATE CATALOG stele WITH ('type' = 'stele', %s)".formatted(arguments[0]));
        StatementSet statements = tables.createStatementSet();
        statements.addInsertSql("INSERT INTO stele.shop.state SELECT * FROM changes");
        statements.addInsertSql("INSERT INTO stele.shop.log SELECT * FROM log");
        statements.execute();
    }

    /** Each change as an inserted row. */
    private record Inserted() implements MapFunction<Row, Row> {
        @Override
        public Row map(Row row) {
            return Row.of(row.getField(0), row.getField(1));
        }
    }
}
