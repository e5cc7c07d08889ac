package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements of docs/streaming.md, with generated events in the place of Kafka's. */
final class FlinkDocumentationIT {
    private static final int EVENTS = 300;

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
            List<String> statements = statements(sidecar);
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
        }
    }

    private static List<String> statements(FlinkSidecar sidecar) throws IOException {
        List<String> statements = new ArrayList<>();
        for (DocumentedExample example : DocumentedExample.of("docs/streaming.md", "sql")) {
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
