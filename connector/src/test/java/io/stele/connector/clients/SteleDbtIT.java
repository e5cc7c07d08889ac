package io.stele.connector.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.HostAndPort;
import io.stele.connector.SteleCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A dbt project (in {@code src/test/dbt}) with a seed, views, tables, incremental models, a
 * snapshot and tests, built on two days.
 */
@ExtendWith(SteleCluster.Shared.class)
final class SteleDbtIT {
    private final SteleCluster cluster;

    SteleDbtIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void aProjectIsBuiltAndBuiltAgain(@TempDir Path folder) throws Exception {
        PythonEnvironment python = PythonEnvironment.open();
        cluster.runner().execute("CREATE SCHEMA IF NOT EXISTS stele.dbt");

        build(python, folder, 1);
        assertThat(rows("SELECT region, amount, payments FROM stele.dbt.regions ORDER BY 1"))
                .isEqualTo("[[north, 15.25, 2], [south, 20.50, 1]]");
        assertThat(rows("SELECT * FROM stele.dbt.balances ORDER BY id"))
                .isEqualTo("[[1, 10.00, 1], [2, 20.50, 1], [3, 5.25, 1]]");
        assertThat(rows("SELECT id, amount FROM stele.dbt.payments_history ORDER BY id"))
                .isEqualTo("[[1, 10.00], [2, 21.50], [3, 5.25]]");
        assertThat(
                        rows(
                                "SELECT comment FROM system.metadata.table_comments WHERE catalog_name = 'stele' AND schema_name = 'dbt' AND table_name = 'regions'"))
                .isEqualTo("[[What came from each region]]");
        assertThat(rows("SELECT index_name, columns FROM stele.dbt.\"balances$indexes\""))
                .isEqualTo("[[PRIMARY, [id]]]");

        build(python, folder, 2);
        // Merged by key: the first row is of yesterday, one is new
        assertThat(rows("SELECT * FROM stele.dbt.balances ORDER BY id"))
                .isEqualTo("[[1, 10.00, 1], [2, 41.00, 2], [3, 10.50, 2], [9, 1.00, 2]]");
        assertThat(rows("SELECT day, payments FROM stele.dbt.events ORDER BY day"))
                .isEqualTo("[[1, 3], [2, 3]]");
        // The snapshot keeps what was, and ends it
        assertThat(
                        rows(
                                "SELECT id, amount, dbt_valid_to IS NULL FROM stele.dbt.payments_history ORDER BY id, amount"))
                .isEqualTo(
                        "[[1, 10.00, true], [2, 21.50, false], [2, 22.50, true], [3, 5.25, true]]");
        assertThat(rows("SELECT count(*) FROM stele.dbt.open_payments")).isEqualTo("[[3]]");
        cluster.runner().execute("DROP SCHEMA stele.dbt CASCADE");
    }

    private void build(PythonEnvironment python, Path folder, int day) throws Exception {
        HostAndPort coordinator = cluster.runner().getCoordinator().getAddress();
        Path project = Path.of("src/test/dbt").toAbsolutePath();
        ClientProcess.Outcome outcome =
                python.run(
                        folder,
                        Map.of(
                                "TRINO_HOST", coordinator.getHost(),
                                "TRINO_PORT", Integer.toString(coordinator.getPort()),
                                "DBT_SEND_ANONYMOUS_USAGE_STATS", "false"),
                        Stream.of(
                                        List.of(
                                                "dbt",
                                                "build",
                                                "--project-dir",
                                                project.toString()),
                                        List.of("--profiles-dir", project.toString()),
                                        List.of(
                                                "--target-path",
                                                folder.resolve("target").toString()),
                                        List.of("--log-path", folder.resolve("log").toString()),
                                        List.of("--vars", "{day: %d}".formatted(day)))
                                .flatMap(List::stream)
                                .toList());
        assertThat(outcome.status()).as(outcome.output()).isZero();
    }

    private String rows(String sql) {
        return cluster.runner().execute(sql).getMaterializedRows().toString();
    }
}
