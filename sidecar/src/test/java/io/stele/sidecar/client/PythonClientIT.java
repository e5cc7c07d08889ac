package io.stele.sidecar.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.TestingSidecar;
import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Python client: its tests against a real sidecar, rows of all types from Java to Python and
 * back, and the examples of {@code clients/python/README.md}.
 */
final class PythonClientIT {
    private static final Path FOLDER = DocumentedExample.repository().resolve("clients/python");
    private static final int VECTOR_ROWS = 8;
    private static final long TIMEOUT_MINUTES = 5;

    /** How a program ended, and what it printed, errors too. */
    private record Outcome(int status, String output) {}

    @Test
    void pythonAndJavaReadWhatTheOtherWrote(@TempDir Path directory) throws Exception {
        requirePython(directory);
        try (TestingSidecar sidecar = TestingSidecar.start(directory);
                SteleClient client = sidecar.client()) {
            JsonNode types = ClientVectors.load().get("types");
            createTables(sidecar, types);
            try (TableWriter writer = client.writer("python", "all_types")) {
                for (int number = 0; number < VECTOR_ROWS; number++) {
                    writer.write(vectorRow(types, number).toArray());
                }
                writer.flush();
            }
            Outcome tests = python(directory, sidecar, "-W", "error", "-m", "unittest", "-v");
            assertThat(tests.status()).as(tests.output()).isZero();
            assertThat(tests.output())
                    .contains("test_rows_of_all_types_that_java_wrote")
                    .doesNotContain("skipped");

            SteleTable written = client.table("python", "written");
            RowLayout layout = RowLayout.of(written.schema().columns());
            for (int number = 0; number < VECTOR_ROWS; number++) {
                // As bytes: those of NaN and of arrays are equal
                assertThat(Rows.toBytes(layout, written.get((long) number).orElseThrow().toArray()))
                        .isEqualTo(Rows.toBytes(layout, vectorRow(types, number).toArray()));
            }
            assertThat(written.get((long) VECTOR_ROWS).orElseThrow().stream().skip(1))
                    .containsOnlyNulls();
        }
    }

    @Test
    void examplesOfItsPage(@TempDir Path directory) throws Exception {
        requirePython(directory);
        String program =
                DocumentedExample.of("clients/python/README.md", "python").stream()
                        .map(DocumentedExample::text)
                        .collect(Collectors.joining("\n"));
        try (TestingSidecar sidecar = TestingSidecar.start(directory)) {
            createTables(sidecar, ClientVectors.load().get("types"));
            Outcome outcome = python(directory, sidecar, "-W", "error", "-c", program);
            assertThat(outcome.status()).as(outcome.output()).isZero();
            assertThat(outcome.output().lines())
                    .startsWith(
                            "{'id': 1, 'status': 'open', 'total': Decimal('19.90'),"
                                    + " 'placed': datetime.datetime(2026, 1, 2, 9, 30)}",
                            "None",
                            "499",
                            "2 1",
                            "[0]",
                            "True",
                            "[0, 1, 2]",
                            "[(7, 2), (8, 0)]",
                            "[2]",
                            "1",
                            "paid paid sent");
        }
    }

    private static void createTables(TestingSidecar sidecar, JsonNode types) {
        List<ColumnSchema> all = new ArrayList<>();
        all.add(column(1, "id", "bigint", false));
        for (JsonNode type : types) {
            int id = all.size() + 1;
            all.add(column(id, "c" + id, type.get("type").textValue(), true));
        }
        createTable(sidecar, "python", "all_types", all, List.of(1));
        createTable(sidecar, "python", "written", all, List.of(1));
        createTable(
                sidecar,
                "python",
                "counters",
                List.of(
                        column(1, "k", "varchar", false),
                        column(2, "n", "bigint", false),
                        column(3, "note", "varchar", true)),
                List.of(1));
        createTable(
                sidecar,
                "python",
                "events",
                List.of(column(1, "id", "bigint", true), column(2, "what", "varchar", true)),
                List.of());
        createTable(
                sidecar,
                "shop",
                "orders",
                List.of(
                        column(1, "id", "bigint", false),
                        column(2, "status", "varchar", true),
                        column(3, "total", "decimal(12,2)", true),
                        column(4, "placed", "timestamp(6)", true)),
                List.of(1));
        createTable(
                sidecar,
                "shop",
                "lines",
                List.of(
                        column(1, "order_id", "bigint", false),
                        column(2, "line", "integer", false),
                        column(3, "item", "varchar", false),
                        column(4, "quantity", "integer", true)),
                List.of(1, 2));
    }

    private static void createTable(
            TestingSidecar sidecar,
            String schema,
            String table,
            List<ColumnSchema> columns,
            List<Integer> primaryKey) {
        sidecar.createTable(
                TableSchema.builder(schema, table)
                        .columns(columns)
                        .primaryKey(primaryKey)
                        .orientation(primaryKey.isEmpty() ? Orientation.COLUMN : Orientation.ROW)
                        .shardCount(4)
                        .build());
    }

    private static ColumnSchema column(int id, String name, String type, boolean nullable) {
        return new ColumnSchema(id, name, DataType.parse(type), nullable, Optional.empty());
    }

    /** Row {@code number} of a table with a column of each type: its values taken in turn. */
    private static List<@Nullable Object> vectorRow(JsonNode types, int number) {
        List<@Nullable Object> row = new ArrayList<>();
        row.add((long) number);
        for (JsonNode type : types) {
            JsonNode values = type.get("values");
            row.add(
                    ClientVectors.value(
                            DataType.parse(type.get("type").textValue()),
                            values.get(number % values.size()).get("value")));
        }
        return row;
    }

    private static void requirePython(Path directory) throws Exception {
        String needed = "Needs Python 3.9 or newer: ";
        try {
            Outcome version =
                    run(
                            directory,
                            new ProcessBuilder(
                                    "python3",
                                    "-c",
                                    "import sys; sys.exit(sys.version_info < (3, 9))"));
            Assumptions.assumeTrue(version.status() == 0, () -> needed + version.output());
        } catch (IOException e) {
            Assumptions.abort(needed + e.getMessage());
        }
    }

    private static Outcome python(Path directory, TestingSidecar sidecar, String... arguments)
            throws Exception {
        List<String> command = new ArrayList<>(List.of("python3", "-B"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(FOLDER.toFile());
        String endpoint = "127.0.0.1:" + sidecar.server().clientPort();
        builder.environment().put("PYTHONPATH", "src");
        builder.environment().put("STELE_TEST_ENDPOINT", endpoint);
        builder.environment().put("STELE_ENDPOINT", endpoint);
        builder.environment().put("STELE_SHARED_SECRET", TestingSidecar.SECRET);
        return run(directory, builder);
    }

    private static Outcome run(Path directory, ProcessBuilder builder) throws Exception {
        Path output = directory.resolve("python.log");
        Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertThat(process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES))
                    .as("ended: %s", builder.command())
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Outcome(process.exitValue(), Files.readString(output, UTF_8));
    }
}
