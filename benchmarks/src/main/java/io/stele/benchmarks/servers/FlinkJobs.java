package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import io.stele.testing.FlinkCluster;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cluster of Flink with one task manager beside the servers of a {@link Run}, and its jobs in
 * SQL. They have the connector as users get it, and the run's tables as the catalog {@code s}. With
 * a lake they also have Apache Paimon's own connector, and the lake as the catalog {@code lake}.
 * The cluster is in the folder {@code flink} of the run's state.
 *
 * <p>Confined to one thread.
 */
public final class FlinkJobs implements AutoCloseable {
    private static final String PROGRAM = "io.stele.flink.script.SqlScript";

    private final Run run;
    private final Path folder;
    private final Path connector;
    private final Optional<Path> lake;
    private final FlinkCluster cluster;

    private FlinkJobs(
            Run run, Path folder, Path connector, Optional<Path> lake, FlinkCluster cluster) {
        this.run = requireNonNull(run, "run is null");
        this.folder = requireNonNull(folder, "folder is null");
        this.connector = requireNonNull(connector, "connector is null");
        this.lake = requireNonNull(lake, "lake is null");
        this.cluster = requireNonNull(cluster, "cluster is null");
    }

    /**
     * Starts the cluster and waits until it takes jobs.
     *
     * @param settings Flink's configuration, beside that of {@link FlinkCluster}
     * @param taskManagerOptions options of the JVM, such as {@link FlinkCluster#SMALL}
     * @param lake the folder of a Paimon warehouse; only where there {@linkplain #hasPaimon is}
     *     Paimon's connector
     */
    public static FlinkJobs start(
            Run run,
            Map<String, String> settings,
            List<String> taskManagerOptions,
            Optional<Path> lake)
            throws IOException {
        Path built = built(run);
        Path connector = connectorJar(built);
        String classPath = FlinkCluster.parts(Files.readString(built.resolve("classpath")).strip());
        if (lake.isPresent()) {
            classPath += File.pathSeparator + paimonJars(run);
        }
        // Scripts and what Flink makes of them have the secret
        Path folder =
                Files.createDirectories(
                        run.path("state").resolve("flink"),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
        return new FlinkJobs(
                run,
                folder,
                connector,
                lake,
                FlinkCluster.start(folder, classPath, 1, settings, taskManagerOptions));
    }

    /** Whether {@code bin/stele} could fetch Paimon's connector, of which a build has no need. */
    public static boolean hasPaimon(Run run) throws IOException {
        if (!Files.isDirectory(paimonFolder(run))) {
            return false;
        }
        try (Stream<Path> files = Files.list(paimonFolder(run))) {
            return files.anyMatch(file -> file.toString().endsWith(".jar"));
        }
    }

    private static Path built(Run run) {
        return run.path("home").resolve("flink").resolve("target");
    }

    private static Path paimonFolder(Run run) {
        return built(run).resolve("paimon");
    }

    /** Paimon's connector and the Hadoop classes that it wants, which the plugin has as well. */
    private static String paimonJars(Run run) throws IOException {
        Path plugin =
                run.path("home")
                        .resolve(
                                Path.of(
                                        "distribution",
                                        "target",
                                        "trino",
                                        "plugin",
                                        "stele_paimon"));
        try (Stream<Path> ofPaimon = Files.list(paimonFolder(run));
                Stream<Path> ofPlugin = Files.list(plugin)) {
            return Stream.concat(
                            ofPaimon,
                            ofPlugin.filter(
                                    file ->
                                            file.getFileName()
                                                    .toString()
                                                    .startsWith("hadoop-client-")))
                    .map(Path::toString)
                    .sorted()
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    private static Path connectorJar(Path built) throws IOException {
        try (Stream<Path> files = Files.list(built)) {
            return files.filter(
                            file ->
                                    file.getFileName()
                                            .toString()
                                            .matches("stele-flink-connector-.*\\.jar"))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new IllegalStateException(
                                            "Expected the connector's jar in %s, found none"
                                                    .formatted(built)));
        }
    }

    public FlinkCluster cluster() {
        return cluster;
    }

    /**
     * Submits the job that the last statement of a script starts.
     *
     * @param state the savepoint or checkpoint to restore
     * @return the id of the job
     */
    public String submit(String name, int parallelism, Optional<String> state, String script)
            throws IOException {
        return cluster.submit(
                connector, PROGRAM, parallelism, state, file(name, script).toString());
    }

    /** Runs a script without a job. */
    public void run(String name, String script) throws IOException {
        cluster.runProgram(connector, PROGRAM, file(name, script).toString());
    }

    private Path file(String name, String script) throws IOException {
        return Files.writeString(
                folder.resolve(name + ".sql"),
                "CREATE CATALOG s WITH ('type' = 'stele', 'endpoints' = '127.0.0.1:%d', 'secret' = '%s');\n"
                                .formatted(run.port("sidecar.client.port"), run.secret())
                        + lake.map(FlinkJobs::lakeCatalog).orElse("")
                        + script);
    }

    private static String lakeCatalog(Path lake) {
        return "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '%s');\n"
                .formatted(lake.toUri());
    }

    @Override
    public void close() {
        cluster.close();
    }
}
