package io.stele.connector;

import static io.trino.testing.TestingSession.testSessionBuilder;
import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.inject.Key;
import io.airlift.units.Duration;
import io.stele.testing.LongRun;
import io.trino.Session;
import io.trino.execution.scheduler.NodeScheduler;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.server.testing.TestingTrinoServer;
import io.trino.testing.DistributedQueryRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One Trino with one sidecar, shared by all integration tests of this JVM that ask for it: {@link
 * Shared} or {@link OfTwoNodes}. Every test makes tables of its own.
 */
public final class SteleCluster implements AutoCloseable {
    private final Path directory;
    private final SidecarFixture sidecar;
    private final DistributedQueryRunner runner;
    private final AtomicInteger catalogs = new AtomicInteger();

    private SteleCluster(int workers) throws Exception {
        this.directory = Files.createTempDirectory("stele-connector");
        this.sidecar = new SidecarFixture(directory.resolve("shared"));
        this.runner = queryRunner(workers);
        runner.createCatalog("stele", "stele", sidecar.catalogProperties());
        runner.execute("CREATE SCHEMA stele.s");
    }

    /**
     * Workers besides the coordinator, which works as well, for Trino's own suites. Exchanges
     * between nodes take a third of their processor time, and what goes from node to node is the
     * matter of the tests on {@link OfTwoNodes}: by default they run on one node, and on three with
     * {@code bin/stele test --long}.
     */
    static int workersOfSuites() {
        return Integer.getInteger("suites.workers", 0);
    }

    /** A Trino with the plugin and TPC-H data, without a catalog of ours. */
    public static DistributedQueryRunner queryRunner(int workers) throws Exception {
        return queryRunner(workers, Map.of());
    }

    /** The same with further properties of the nodes. */
    static DistributedQueryRunner queryRunner(int workers, Map<String, String> more)
            throws Exception {
        return queryRunner(workers, more, new StelePlugin());
    }

    static DistributedQueryRunner queryRunner(
            int workers, Map<String, String> more, StelePlugin plugin) throws Exception {
        Session session = testSessionBuilder().setCatalog("stele").setSchema("s").build();
        DistributedQueryRunner runner =
                DistributedQueryRunner.builder(session)
                        .setWorkerCount(workers)
                        .setExtraProperties(more)
                        .build();
        try {
            runner.installPlugin(new TpchPlugin());
            runner.createCatalog("tpch", "tpch");
            runner.installPlugin(plugin);
            return runner;
        } catch (Throwable e) {
            runner.close();
            throw e;
        }
    }

    public DistributedQueryRunner runner() {
        return runner;
    }

    /**
     * Waits until the engine sends splits to their preferred workers: its scheduler looks for nodes
     * every 5 seconds, and its first look may have come before a worker was announced. Until then
     * it chooses at random, and a worker that is not the preferred one caches nothing.
     *
     * @param count of the nodes that work
     */
    static void awaitNodes(DistributedQueryRunner runner, int count) {
        TestingTrinoServer coordinator = runner.getCoordinator();
        NodeScheduler scheduler = coordinator.getInstance(Key.get(NodeScheduler.class));
        assertEventually(
                new Duration(3, TimeUnit.MINUTES),
                () -> {
                    coordinator.refreshNodes();
                    assertThat(scheduler.createNodeSelector(runner.getDefaultSession()).allNodes())
                            .hasSize(count);
                });
    }

    public SidecarFixture sidecar() {
        return sidecar;
    }

    /** A sidecar of the test's own, as a catalog of this name. */
    public SidecarFixture newSidecar(String catalog, Map<String, String> more) {
        return newSidecar(catalog, more, Map.of());
    }

    /** The same with further properties of the sidecar. */
    public SidecarFixture newSidecar(
            String catalog, Map<String, String> more, Map<String, String> ofSidecar) {
        SidecarFixture own =
                new SidecarFixture(
                        directory.resolve("own-" + catalogs.incrementAndGet()), ofSidecar);
        runner.createCatalog(
                catalog,
                "stele",
                ImmutableMap.<String, String>builder()
                        .putAll(own.catalogProperties())
                        .putAll(more)
                        .buildOrThrow());
        runner.execute("CREATE SCHEMA " + catalog + ".s");
        return own;
    }

    /** The same with a port of PostgreSQL's protocol, which hands statements on to this Trino. */
    public SidecarFixture newSidecarOverPostgres(String catalog) {
        return newSidecar(
                catalog,
                Map.of(),
                Map.of(
                        "stele.postgresql.port",
                        "0",
                        "stele.postgresql.trino-uri",
                        runner.getCoordinator().getBaseUrl().toString(),
                        "stele.postgresql.trino-catalog",
                        catalog));
    }

    /** A sidecar of the test's own in a process, as a catalog of this name. */
    KilledSidecar newSidecarProcess(String catalog, Map<String, String> more) throws IOException {
        return newSidecarProcess(catalog, more, Map.of(), "512m");
    }

    /** The same with further properties of the sidecar, and a heap of this size. */
    KilledSidecar newSidecarProcess(
            String catalog, Map<String, String> more, Map<String, String> ofSidecar, String heap)
            throws IOException {
        KilledSidecar own =
                KilledSidecar.start(
                        directory.resolve("process-" + catalogs.incrementAndGet()),
                        ofSidecar,
                        heap);
        runner.createCatalog(
                catalog,
                "stele",
                ImmutableMap.<String, String>builder()
                        .putAll(own.catalogProperties())
                        .putAll(more)
                        .buildOrThrow());
        runner.execute("CREATE SCHEMA " + catalog + ".s");
        return own;
    }

    @Override
    public void close() throws Exception {
        runner.close();
        sidecar.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                delete(file);
            }
        }
    }

    private static void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    /**
     * Hands a cluster of one node to tests, and closes it after the last one. With {@code bin/stele
     * test --long} it is that of {@link OfTwoNodes}.
     */
    public static class Shared implements BeforeAllCallback, ParameterResolver {
        private static final ExtensionContext.Namespace NAMESPACE =
                ExtensionContext.Namespace.create(SteleCluster.class);

        private final int workers; // besides the coordinator, which works as well

        public Shared() {
            this(LongRun.count(0, 1));
        }

        private Shared(int workers) {
            this.workers = workers;
        }

        @Override
        public void beforeAll(ExtensionContext context) {
            cluster(context);
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == SteleCluster.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return cluster(context);
        }

        private SteleCluster cluster(ExtensionContext context) {
            return context.getRoot()
                    .getStore(NAMESPACE)
                    .computeIfAbsent(
                            workers,
                            count -> {
                                try {
                                    return new SteleCluster(count);
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            },
                            SteleCluster.class);
        }
    }

    /** The same of two nodes, for tests of what goes from node to node. */
    public static final class OfTwoNodes extends Shared {
        public OfTwoNodes() {
            super(1);
        }
    }
}
