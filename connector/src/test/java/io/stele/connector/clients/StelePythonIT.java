package io.stele.connector.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.HostAndPort;
import io.stele.connector.SidecarFixture;
import io.stele.connector.SteleCluster;
import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
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
    private static final Map<String, String> WITH_SECRET =
            Map.of("STELE_SHARED_SECRET", SidecarFixture.SECRET);

    private final SteleCluster cluster;

    StelePythonIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    /** Runs a program to its end, which must be a good one; returns its output. */
    private static String python(Map<String, String> environment, String... arguments)
            throws Exception {
        List<String> command = new ArrayList<>(List.of("python"));
        command.addAll(List.of(arguments));
        ClientProcess.Outcome outcome =
                PythonEnvironment.open().run(Path.of("src/test/python"), environment, command);
        assertThat(outcome.status()).as(outcome.output()).isZero();
        return outcome.output();
    }

    /** The only Python example of a page, for this sidecar. */
    private String example(String page) throws IOException {
        List<DocumentedExample> examples = DocumentedExample.of(page, "python");
        assertThat(examples).hasSize(1);
        return examples.getFirst()
                .text()
                .replace("localhost:8481", "localhost:" + cluster.sidecar().flightPort());
    }

    @Test
    void sqlAlchemyWritesReadsAndInspects() throws Exception {
        HostAndPort coordinator = cluster.runner().getCoordinator().getAddress();
        assertThat(
                        python(
                                Map.of(),
                                "sqlalchemy_check.py",
                                coordinator.getHost(),
                                Integer.toString(coordinator.getPort()),
                                "s"))
                .contains("fine");
    }

    @Test
    void exampleOfTheProtocolPageWritesAndReads() throws Exception {
        assertThat(python(WITH_SECRET, "-c", example("docs/protocol.md")))
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
        assertThat(
                        python(
                                WITH_SECRET,
                                "flight_sql_check.py",
                                "127.0.0.1",
                                Integer.toString(cluster.sidecar().flightPort()),
                                "s"))
                .contains("fine");
    }

    @Test
    void exampleOfTheServingPageWritesAndReads() throws Exception {
        String example = example("docs/serving.md").replace("\"shop\"", "\"s\"");
        assertThat(python(WITH_SECRET, "-c", example)).contains("[(2, 20.25)]");
        assertThat(cluster.runner().execute("SELECT count(*) FROM stele.s.bills").getOnlyValue())
                .isEqualTo(3L);
    }
}
