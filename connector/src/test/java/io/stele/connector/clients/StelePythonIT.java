package io.stele.connector.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.HostAndPort;
import io.stele.connector.SteleCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Trino's Python client, and SQLAlchemy over it. */
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
}
