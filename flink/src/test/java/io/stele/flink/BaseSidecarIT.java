package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.flink.option.SteleOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * The base of tests with a real sidecar: one of each class, in a folder of its own, with tables in
 * schema {@code shop}.
 */
public abstract class BaseSidecarIT {
    /** Of everything that a test waits for. */
    protected static final Duration LIMIT = Duration.ofMinutes(8);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    @TempDir protected static Path directory;

    protected static FlinkSidecar sidecar;

    private static SharedFlink flink;

    protected BaseSidecarIT() {}

    @BeforeAll
    protected static void startSidecar() throws IOException {
        sidecar = FlinkSidecar.start(directory.resolve("sidecar"));
    }

    @AfterAll
    protected static void stopSidecar() throws Exception {
        if (flink != null) {
            flink.close();
            flink = null;
        }
        sidecar.close();
    }

    /** A session of bounded statements. */
    protected static TableEnvironment batch() throws Exception {
        if (flink == null) {
            flink = SharedFlink.start();
        }
        TableEnvironment tables =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance()
                                .inBatchMode()
                                .withConfiguration(flink.configuration())
                                .build());
        tables.getConfig().set("parallelism.default", "2");
        tables.getConfig().set("table.local-time-zone", "UTC");
        return tables;
    }

    /**
     * Declares a table of schema shop under its name.
     *
     * @param columns with the primary key
     * @param more further options, each after a comma
     */
    protected static void declare(
            TableEnvironment tables, String name, String columns, String more) {
        tables.executeSql(
                "CREATE TEMPORARY TABLE %s (%s) WITH ('connector' = 'stele', %s, 'schema-name' = 'shop', 'table-name' = '%s'%s)"
                        .formatted(name, columns, sidecar.options(), name, more));
    }

    /** The same of one that is declared otherwise. */
    protected static void declareAgain(
            TableEnvironment tables, String name, String columns, String more) {
        tables.executeSql("DROP TEMPORARY TABLE " + name);
        declare(tables, name, columns, more);
    }

    protected static void run(TableEnvironment tables, String sql) throws Exception {
        tables.executeSql(sql).await();
    }

    /** The options of a connection to the sidecar, and others. */
    protected static Configuration config(Map<String, String> others) {
        Configuration config = Configuration.fromMap(others);
        config.set(SteleOptions.ENDPOINTS, List.of(sidecar.endpoint()));
        config.set(SteleOptions.SECRET, FlinkSidecar.SECRET);
        return config;
    }

    /** All rows of a bounded query. */
    protected static List<Row> query(TableEnvironment tables, String sql) throws Exception {
        List<Row> rows = new ArrayList<>();
        try (CloseableIterator<Row> found = tables.executeSql(sql).collect()) {
            found.forEachRemaining(rows::add);
        }
        return rows;
    }

    /** Waits until a table of schema shop has this number of rows, or more. */
    protected static void awaitRows(String table, int count) {
        await(count + " rows of " + table, () -> sidecar.rows("shop", table).size() >= count);
    }

    protected static void await(String what, BooleanSupplier isThere) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!isThere.getAsBoolean()) {
            assertThat(System.nanoTime()).as("%s in time", what).isLessThan(deadline);
            LockSupport.parkNanos(POLL_INTERVAL.toNanos());
        }
    }
}
