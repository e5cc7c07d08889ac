package io.stele.flink.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.flink.ChangedTable;
import io.stele.flink.FlinkSidecar;
import io.stele.protocol.schema.Orientation;
import io.stele.testing.FlinkCluster;
import io.stele.testing.PausedProcess;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jobs on a standalone cluster of Flink, whose only connector is the shaded jar, while processes
 * are killed or answer nothing: no row and no change is lost, and none comes twice. More seeds with
 * {@code -Dflink.cluster-seeds=N}.
 */
final class StandaloneClusterIT {
    /** Enough for twenty minutes at the job's pace, so it is never at its end too early. */
    private static final int CHANGES = 60_000;

    private static final int CHANGES_OF_A_ROUND = 100;

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

    static LongStream seeds() {
        return LongStream.range(0, Integer.getInteger("flink.cluster-seeds", 2));
    }

    /** One fault after another, and a checkpoint after each. */
    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("long")
    @Timeout(2400)
    void seededFaultsLoseAndDoubleNothing(long seed) throws Exception {
        try (FlinkSidecar sidecar = FlinkSidecar.start(directory.resolve("sidecar-" + seed));
                FlinkCluster cluster = startCluster("cluster-" + seed)) {
            Run run = new Run(sidecar, cluster, directory.resolve("finish-" + seed), 2 * CHANGES);
            Random random = new Random(seed);
            List<Fault> faults = new ArrayList<>(List.of(Fault.values()));
            Collections.shuffle(faults, random);
            int parallelism = 3; // more than one task manager has, so each runs a part
            String job = run.submit(parallelism, Optional.empty());
            cluster.awaitCheckpoints(job, 1);
            for (Fault fault : faults) {
                System.out.printf("seed %d: %s%n", seed, fault);
                parallelism = 7 - parallelism; // 3 or 4
                job = run.disturb(fault, job, parallelism, random);
                awaitMoreCheckpoints(cluster, job, 1);
            }
            run.finish(job);
        }
    }

    /** What happens to a job and its sidecar. */
    private enum Fault {
        KILLED_TASK_MANAGER,
        KILLED_JOB_MANAGER,
        KILLED_SIDECAR,
        /** With a savepoint and another parallelism. */
        RESCALED,
        /** The sidecar does not answer for seconds, and commits wait. */
        PAUSED_SIDECAR,
        /** Checkpoints wait for it. */
        PAUSED_TASK_MANAGER
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

        /**
         * Returns when the fault is over.
         *
         * @param parallelism of the job, if it is submitted again
         * @return the job that goes on
         */
        String disturb(Fault fault, String job, int parallelism, Random random) throws Exception {
            long pauseNanos = TimeUnit.MILLISECONDS.toNanos(500 + random.nextInt(4_000));
            switch (fault) {
                case KILLED_TASK_MANAGER -> replaceTaskManager(cluster, job);
                case KILLED_JOB_MANAGER -> {
                    return restartJobManager(job, parallelism);
                }
                case KILLED_SIDECAR -> sidecar.restart();
                case RESCALED -> {
                    return submit(parallelism, Optional.of(cluster.stopWithSavepoint(job)));
                }
                case PAUSED_SIDECAR -> {
                    try (PausedProcess paused = sidecar.pause()) {
                        LockSupport.parkNanos(pauseNanos);
                    }
                }
                case PAUSED_TASK_MANAGER -> {
                    try (PausedProcess paused = cluster.pauseOldestTaskManager()) {
                        LockSupport.parkNanos(pauseNanos);
                    }
                }
            }
            return job;
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
