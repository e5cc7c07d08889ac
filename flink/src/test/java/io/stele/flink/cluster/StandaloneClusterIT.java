package io.stele.flink.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.flink.ChangedTable;
import io.stele.flink.FlinkSidecar;
import io.stele.protocol.schema.Orientation;
import io.stele.testing.FlinkCluster;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs on a standalone cluster of Flink, whose only connector is the shaded jar, while processes
 * are killed: no row and no change is lost, and none comes twice.
 */
final class StandaloneClusterIT {
    /** Enough for twenty minutes at the job's pace, so it is never at its end too early. */
    private static final int CHANGES = 60_000;

    private static final int CHANGES_OF_A_ROUND = 100;

    private static final int ROUNDS_OF_LONG_RUN = 8;

    @TempDir private static Path directory;

    @Test
    @Timeout(1200)
    void killedProcessesLoseAndDoubleNothing() throws Exception {
        try (FlinkSidecar sidecar = FlinkSidecar.start(directory.resolve("sidecar"));
                FlinkCluster cluster = startCluster("cluster")) {
            Run run = new Run(sidecar, cluster, directory.resolve("finish"), CHANGES);
            String job = run.submit(3, Optional.empty());
            cluster.awaitCheckpoints(job, 2);
            replaceTaskManager(cluster, job);
            awaitMoreCheckpoints(cluster, job, 2);

            job = run.submit(2, Optional.of(cluster.stopWithSavepoint(job)));
            cluster.awaitCheckpoints(job, 2);
            job = run.restartJobManager(job, 4);
            cluster.awaitCheckpoints(job, 1);
            run.finish(job);
        }
    }

    @Test
    @Tag("long") // ChangeSourceIT does the same in one process
    @Timeout(1200)
    void eachChangeOfATableComesOnceThroughKilledTaskManagers() throws Exception {
        try (FlinkSidecar sidecar = FlinkSidecar.start(directory.resolve("followed-sidecar"));
                FlinkCluster cluster = startCluster("followed-cluster")) {
            ChangedTable table = new ChangedTable(sidecar, "followed", Orientation.COLUMN, 80);
            table.createLog();
            table.change(CHANGES_OF_A_ROUND);
            List<List<Object>> expected = new ArrayList<>(table.snapshot());
            table.clearLog();
            String job = follow(cluster, sidecar, 3, Optional.empty());
            table.awaitLogged(expected.size());
            table.change(CHANGES_OF_A_ROUND);
            replaceTaskManager(cluster, job);
            table.change(CHANGES_OF_A_ROUND);
            awaitMoreCheckpoints(cluster, job, 1);
            String savepoint = cluster.stopWithSavepoint(job);
            table.change(CHANGES_OF_A_ROUND); // while there is no job
            // More than one task manager has, so that the one that is killed runs a part of it
            job = follow(cluster, sidecar, 4, Optional.of(savepoint));
            cluster.awaitCheckpoints(job, 1);
            replaceTaskManager(cluster, job);
            expected.addAll(table.log());
            table.assertLogged(expected);
        }
    }

    private static String follow(
            FlinkCluster cluster, FlinkSidecar sidecar, int parallelism, Optional<String> state)
            throws Exception {
        return cluster.submit(
                jobJar(),
                FollowingJob.class.getName(),
                parallelism,
                state,
                sidecar.endpoint(),
                "followed");
    }

    @Test
    @Tag("long")
    @Timeout(2400)
    void manyKilledProcessesLoseAndDoubleNothing() throws Exception {
        try (FlinkSidecar sidecar = FlinkSidecar.start(directory.resolve("long-sidecar"));
                FlinkCluster cluster = startCluster("long-cluster")) {
            Run run = new Run(sidecar, cluster, directory.resolve("long-finish"), 2 * CHANGES);
            String job = run.submit(2, Optional.empty());
            cluster.awaitCheckpoints(job, 1);
            for (int round = 0; round < ROUNDS_OF_LONG_RUN; round++) {
                int parallelism = 3 + round % 2; // more than one task manager has
                switch (round % 4) {
                    case 0 -> job = run.restartJobManager(job, parallelism);
                    case 1 -> sidecar.restart();
                    case 2 ->
                            job =
                                    run.submit(
                                            parallelism,
                                            Optional.of(cluster.stopWithSavepoint(job)));
                    default -> replaceTaskManager(cluster, job);
                }
                awaitMoreCheckpoints(cluster, job, 1);
            }
            run.finish(job);
        }
    }

    /** Kills one that runs a part of the job, and waits until the job runs on another. */
    private static void replaceTaskManager(FlinkCluster cluster, String job) throws IOException {
        int restored = cluster.restoredCheckpoints(job);
        cluster.killOldestTaskManager();
        cluster.startTaskManager();
        cluster.awaitRestored(job, restored + 1);
    }

    private static FlinkCluster startCluster(String name) throws IOException {
        return FlinkCluster.start(
                directory.resolve(name),
                2,
                Map.of(
                        "execution.checkpointing.interval", "500 ms",
                        "restart-strategy.type", "fixed-delay",
                        "restart-strategy.fixed-delay.attempts", "1000",
                        "restart-strategy.fixed-delay.delay", "500 ms"));
    }

    private static void awaitMoreCheckpoints(FlinkCluster cluster, String job, int count)
            throws IOException {
        cluster.awaitCheckpoints(job, cluster.completedCheckpoints(job) + count);
    }

    /** The job and its two tables. */
    private record Run(FlinkSidecar sidecar, FlinkCluster cluster, Path finish, int count) {
        Run {
            sidecar.createTable("state", Orientation.COLUMN, 1, "id bigint", "change bigint");
            sidecar.createTable("log", Orientation.COLUMN, 0, "id bigint", "change bigint");
        }

        String submit(int parallelism, Optional<String> state) throws Exception {
            return cluster.submit(
                    jobJar(),
                    ClusterJob.class.getName(),
                    parallelism,
                    state,
                    sidecar.options(),
                    Integer.toString(count),
                    finish.toString());
        }

        /** The job manager has no memory of its jobs: this one goes on from its last checkpoint. */
        String restartJobManager(String job, int parallelism) throws Exception {
            cluster.killJobManager();
            String checkpoint = cluster.latestCheckpoint(job);
            cluster.startJobManager();
            cluster.awaitTaskManagers();
            return submit(parallelism, Optional.of(checkpoint));
        }

        void finish(String job) throws IOException {
            assertThat(sidecar.rows("shop", "log").size()).isLessThan(count);
            Files.createFile(finish);
            cluster.awaitState(job, "FINISHED");
            GeneratedChanges changes = new GeneratedChanges(ClusterJob.SEED);
            // Sorted: without an order each row would be looked for among all
            assertThat(sorted(sidecar.rows("shop", "log"))).isEqualTo(sorted(changes.log(count)));
            Map<Long, Long> found = new TreeMap<>();
            sidecar.rows("shop", "state")
                    .forEach(row -> found.put((Long) row.get(0), (Long) row.get(1)));
            assertThat(found).isEqualTo(changes.state(count));
        }
    }

    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(List::toString).sorted().toList();
    }

    /** The job's classes, and in the folder {@code lib} the connector as users get it. */
    private static Path jobJar() throws IOException, URISyntaxException {
        Path jar = directory.resolve("job.jar");
        if (Files.exists(jar)) {
            return jar;
        }
        Path classes =
                Path.of(
                        ClusterJob.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        String folder = ClusterJob.class.getPackageName().replace('.', '/');
        Path connector = connectorJar();
        try (JarOutputStream target = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.list(classes.resolve(folder))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                target.putNextEntry(new JarEntry(folder + "/" + file.getFileName()));
                Files.copy(file, target);
            }
            target.putNextEntry(new JarEntry("lib/" + connector.getFileName()));
            Files.copy(connector, target);
        }
        return jar;
    }

    private static Path connectorJar() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            List<Path> jars =
                    files.filter(
                                    file ->
                                            file.getFileName()
                                                    .toString()
                                                    .matches("stele-flink-connector-.*\\.jar"))
                            .toList();
            assertThat(jars).as("shaded jars in target, which phase package makes").hasSize(1);
            return jars.get(0);
        }
    }
}
