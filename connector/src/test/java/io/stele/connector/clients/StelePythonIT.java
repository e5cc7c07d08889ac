package io.stele.connector.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.HostAndPort;
import io.stele.connector.SidecarFixture;
import io.stele.connector.SteleCluster;
import io.stele.testing.DocumentedExample;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Trino's Python client, SQLAlchemy over it, the example of docs/protocol.md over Flight, and ADBC
 * over Flight SQL with that of docs/serving.md.
 */
@ExtendWith(SteleCluster.Shared.class)
final class StelePythonIT {
    private final SteleCluster cluster;

    StelePythonIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void sqlAlchemyWritesReadsAndInspects() throws Exception {
        PythonEnvironment python = PythonEnvironment.open();
        HostAndPort coordinator = cluster.runner().getCoordinator().getAddress();
        ClientProcess.Outcome outcome =
                python.run(
                        Path.of("src/test/python"),
                        Map.of(),
                        List.of(
                                "python",
                                "sqlalchemy_check.py",
                                coordinator.getHost(),
                                Integer.toString(coordinator.getPort()),
                                "s"));
        assertThat(outcome.status()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("fine");
    }

    @Test
    void exampleOfTheProtocolPageWritesAndReads() throws Exception {
        PythonEnvironment python = PythonEnvironment.open();
        List<DocumentedExample> examples = DocumentedExample.of("docs/protocol.md", "python");
        assertThat(examples).hasSize(1);
        String example =
                examples.getFirst()
                        .text()
                        .replace("localhost:8481", "localhost:" + cluster.sidecar().flightPort());
        ClientProcess.Outcome outcome =
                python.run(
                        Path.of("src/test/python"),
                        Map.of("STELE_SHARED_SECRET", SidecarFixture.SECRET),
                        List.of("python", "-c", example));
        assertThat(outcome.status()).as(outcome.output()).isZero();
        assertThat(outcome.output())
                .contains("'rowCount': 2")
                .contains("[{'order_id': 1, 'state': 'open'}, {'order_id': 2, 'state': 'closed'}]");
        assertThat(
                        cluster.runner()
                                .execute("SELECT count(*) FROM stele.shop.shipments")
                                .getOnlyValue())
                .isEqualTo(2L);
    }

    @Test
    void adbcWritesReadsAndInspects() throws Exception {
        PythonEnvironment python = PythonEnvironment.open();
        ClientProcess.Outcome outcome =
                python.run(
                        Path.of("src/test/python"),
                        Map.of("STELE_SHARED_SECRET", SidecarFixture.SECRET),
                        List.of(
                                "python",
                                "flight_sql_check.py",
                                "127.0.0.1",
                                Integer.toString(cluster.sidecar().flightPort()),
                                "s"));
        assertThat(outcome.status()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("fine");
    }

    @Test
    void exampleOfTheServingPageWritesAndReads() throws Exception {
        PythonEnvironment python = PythonEnvironment.open();
        List<DocumentedExample> examples = DocumentedExample.of("docs/serving.md", "python");
        assertThat(examples).hasSize(1);
        String example =
                examples.getFirst()
                        .text()
                        .replace("localhost:8481", "localhost:" + cluster.sidecar().flightPort())
                        .replace("\"shop\"", "\"s\"");
        ClientProcess.Outcome outcome =
                python.run(
                        Path.of("src/test/python"),
                        Map.of("STELE_SHARED_SECRET", SidecarFixture.SECRET),
                        List.of("python", "-c", example));
        assertThat(outcome.status()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("[(2, 20.25)]");
        assertThat(cluster.runner().execute("SELECT count(*) FROM stele.s.bills").getOnlyValue())
                .isEqualTo(3L);
    }
}
