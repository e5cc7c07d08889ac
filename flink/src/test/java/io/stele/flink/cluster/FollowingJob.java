package io.stele.flink.cluster;

import io.stele.flink.FlinkSidecar;
import io.stele.flink.changes.SteleChangeSource;
import io.stele.flink.sink.SteleSink;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;

/**
 * A job that writes the changes of a table (id, n, ...) into another one, as rows (kind, id, n).
 *
 * <p>Arguments: endpoint of the sidecar and name of the table in schema shop.
 */
public final class FollowingJob {
    private FollowingJob() {}

    public static void main(String[] arguments) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        String endpoint = arguments[0];
        String table = arguments[1];
        write(
                changes(
                        environment,
                        endpoint,
                        table,
                        "1 min",
                        WatermarkStrategy.<RowData>noWatermarks()),
                endpoint,
                table);
        environment.execute("following " + table);
    }

    /** The name of the table that has the changes of another one. */
    public static String logOf(String table) {
        return table + "_log";
    }

    /**
     * The rows of a table, and its changes since.
     *
     * @param patience how long the sidecar may be away
     */
    public static DataStream<RowData> changes(
            StreamExecutionEnvironment environment,
            String endpoint,
            String table,
            String patience,
            WatermarkStrategy<RowData> watermarks) {
        SteleChangeSource source =
                SteleChangeSource.builder()
                        .endpoints(endpoint)
                        .secret(FlinkSidecar.SECRET)
                        .table("shop", table)
                        .columns("id", "n")
                        .option("unavailable-timeout", patience)
                        .build();
        return environment.fromSource(source, watermarks, "changes").uid("changes");
    }

    /** Writes changes of a table into its log. */
    public static void write(DataStream<RowData> changes, String endpoint, String table) {
        SteleSink log =
                SteleSink.builder()
                        .endpoints(endpoint)
                        .secret(FlinkSidecar.SECRET)
                        .table("shop", logOf(table))
                        .option("sink.commit-schema", "commits_of_" + table)
                        .build();
        changes.map(new Logged()).returns(log.inputType()).uid("logged").sinkTo(log).uid("log");
    }

    /** Each change as a row: its kind, id and n. */
    private record Logged() implements MapFunction<RowData, RowData> {
        @Override
        public RowData map(RowData row) {
            return GenericRowData.of(
                    StringData.fromString(row.getRowKind().shortString()),
                    row.getLong(0),
                    row.getLong(1));
        }
    }
}
