package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.protocol.schema.Orientation;
import io.stele.testing.DocumentedExample;
import java.io.File;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.tools.ToolProvider;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements and the program of docs/streaming.md, with generated events for Kafka's. */
final class FlinkDocumentationIT {
    private static final int EVENTS = 300;
    private static final int CUSTOMERS = 500;

    @TempDir private static Path directory;

    @Test
    void statementsDoWhatThePageSays() throws Exception {
        try (FlinkSidecar sidecar = FlinkSidecar.start(directory.resolve("sidecar"))) {
            StreamTableEnvironment tables =
                    StreamTableEnvironment.create(
                            StreamExecutionEnvironment.createLocalEnvironment(2));
            tables.executeSql(
                    "CREATE TEMPORARY TABLE events (customer BIGINT, total DECIMAL(12, 2)) WITH ('connector' = 'datagen', 'number-of-rows' = '%d', 'fields.customer.min' = '1', 'fields.customer.max' = '5')"
                            .formatted(EVENTS));
            List<DocumentedExample> examples = DocumentedExample.of("docs/streaming.md", "sql");
            List<String> statements = statements(sidecar, examples.subList(0, 3));
            for (String statement : statements.subList(0, statements.size() - 1)) {
                if (statement.startsWith("SET")) {
                    String[] parts = statement.split("'");
                    tables.getConfig().set(parts[1], parts[3]);
                } else {
                    tables.executeSql(statement).await();
                }
            }
            List<List<Object>> totals = sidecar.rows("shop", "totals");
            assertThat(totals)
                    .extracting(row -> row.get(0))
                    .containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L);
            assertThat(totals.stream().mapToLong(row -> (Long) row.get(1)).sum()).isEqualTo(EVENTS);
            assertThat(totals).allMatch(row -> row.get(2) instanceof BigDecimal);
            try (CloseableIterator<Row> joined =
                    tables.executeSql(statements.get(statements.size() - 1)).collect()) {
                List<Row> rows = new ArrayList<>();
                joined.forEachRemaining(rows::add);
                assertThat(rows).hasSize(EVENTS);
            }
            copyChanges(sidecar, tables, statements(sidecar, examples.subList(3, 4)));
            followChanges(sidecar, tables, statements(sidecar, examples.subList(4, 5)));
        }
    }

    /** Inserts, updates and deletions as Debezium writes them, of a key in their order. */
    private static void copyChanges(
            FlinkSidecar sidecar, StreamTableEnvironment tables, List<String> statements)
            throws Exception {
        Map<Long, List<Object>> expected = new TreeMap<>();
        StringBuilder events = new StringBuilder();
        Random random = new Random(26);
        for (int change = 0; change < EVENTS; change++) {
            long id = random.nextInt(50);
            boolean isDeletion = expected.containsKey(id) && random.nextInt(4) == 0;
            List<Object> after = List.of(id, "person " + change, "city " + change % 7);
            String op = !expected.containsKey(id) ? "c" : isDeletion ? "d" : "u";
            events.append(
                    "{\"before\": %s, \"after\": %s, \"op\": \"%s\"}\n"
                            .formatted(
                                    person(expected.get(id)),
                                    person(isDeletion ? null : after),
                                    op));
            if (isDeletion) {
                expected.remove(id);
            } else {
                expected.put(id, after);
            }
        }
        Path folder = Files.createDirectory(directory.resolve("captured"));
        Files.writeString(folder.resolve("events.json"), events);
        tables.executeSql(
                "CREATE TEMPORARY TABLE captured (id BIGINT, name STRING, city STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '%s', 'format' = 'debezium-json')"
                        .formatted(folder.toUri()));
        for (String statement : statements) {
            tables.executeSql(statement).await();
        }
        assertThat(sidecar.rows("shop", "people"))
                .containsExactlyInAnyOrderElementsOf(expected.values());
    }

    private static String person(@Nullable List<Object> row) {
        return row == null
                ? "null"
                : "{\"id\": %s, \"name\": \"%s\", \"city\": \"%s\"}".formatted(row.toArray());
    }

    /** The job has no end: customers come and order while it runs. */
    private static void followChanges(
            FlinkSidecar sidecar, StreamTableEnvironment tables, List<String> statements)
            throws Exception {
        assertThat(statements).hasSize(2);
        tables.executeSql(statements.get(0)).await();
        JobClient job = tables.executeSql(statements.get(1)).getJobClient().orElseThrow();
        awaitBands(sidecar);
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", "totals")) {
            for (long customer = 3; customer < 9; customer++) {
                writer.write(customer, 1_000L + customer, total(customer));
            }
        }
        awaitBands(sidecar);
        job.cancel().get(8, TimeUnit.MINUTES);
    }

    /** Waits until the customers are counted as they are. */
    private static void awaitBands(FlinkSidecar sidecar) {
        Map<Long, Long> expected = new TreeMap<>();
        sidecar.rows("shop", "totals")
                .forEach(row -> expected.merge((Long) row.get(1) / 10, 1L, Long::sum));
        Map<Long, Long> found = new TreeMap<>();
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(8);
        while (!found.equals(expected)) {
            assertThat(System.nanoTime()).as("found %s", found).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            found.clear();
            sidecar.rows("shop", "bands")
                    .forEach(row -> found.put((Long) row.get(0), (Long) row.get(1)));
        }
    }

    @Test
    void theProgramCopiesATable() throws Exception {
        try (FlinkSidecar sidecar = FlinkSidecar.start(directory.resolve("program"))) {
            sidecar.createTable(
                    "totals",
                    Orientation.ROW,
                    1,
                    "customer bigint",
                    "orders bigint",
                    "total decimal(38,2)");
            sidecar.createTable(
                    "spending", Orientation.COLUMN, 1, "customer bigint", "total decimal(38,2)");
            try (SteleClient client = sidecar.client();
                    TableWriter writer = client.writer("shop", "totals")) {
                for (long customer = 0; customer < CUSTOMERS; customer++) {
                    writer.write(customer, 1L, total(customer));
                }
            }
            runProgram(sidecar);
            List<List<Object>> expected = new ArrayList<>();
            for (long customer = 0; customer < CUSTOMERS; customer++) {
                expected.add(List.of(customer, total(customer)));
            }
            assertThat(sidecar.rows("shop", "spending"))
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    private static BigDecimal total(long customer) {
        return BigDecimal.valueOf(customer * 7, 2);
    }

    /** In a process of its own. */
    private static void runProgram(FlinkSidecar sidecar) throws Exception {
        List<DocumentedExample> examples = DocumentedExample.of("docs/streaming.md", "java");
        assertThat(examples).hasSize(1);
        Path source = Files.writeString(directory.resolve("Spending.java"), examples.get(0).text());
        String classPath =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        // Not as a source file, whose classes tasks would not find
        Path classes = Files.createDirectories(directory.resolve("classes"));
        int compiled =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-d",
                                classes.toString(),
                                "-cp",
                                classPath,
                                source.toString());
        assertThat(compiled).as("what the compiler says of it").isZero();
        Path output = directory.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:TieredStopAtLevel=1",
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-Dsidecar=" + sidecar.endpoint(),
                        "-cp",
                        classes + File.pathSeparator + classPath,
                        "Spending");
        builder.environment().put("STELE_SHARED_SECRET", FlinkSidecar.SECRET);
        Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertThat(process.waitFor(8, TimeUnit.MINUTES)).as("ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    }

    private static List<String> statements(FlinkSidecar sidecar, List<DocumentedExample> examples) {
        List<String> statements = new ArrayList<>();
        for (DocumentedExample example : examples) {
            for (String statement : example.text().split(";")) {
                if (!statement.isBlank()) {
                    statements.add(
                            statement
                                    .strip()
                                    .replace("127.0.0.1:8482", sidecar.endpoint())
                                    .replace(
                                            "the shared secret of the sidecars",
                                            FlinkSidecar.SECRET));
                }
            }
        }
        return statements;
    }
}
