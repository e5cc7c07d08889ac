package io.stele.connector;

import static io.trino.testing.TestingSession.testSessionBuilder;
import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.inject.Key;
import io.trino.Session;
import io.trino.execution.scheduler.StableHostAddressProvider;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.testing.DistributedQueryRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One Trino of two nodes with one sidecar, shared by all integration tests of this JVM that ask for
 * it. Every test makes tables of its own.
 */
public final class SteleCluster implements AutoCloseable {
    private final Path directory;
    private final SidecarFixture sidecar;
    private final DistributedQueryRunner runner;
    private final AtomicInteger catalogs = new AtomicInteger();

    private SteleCluster() throws Exception {
        this.directory = Files.createTempDirectory("stele-connector");
        this.sidecar = new SidecarFixture(directory.resolve("shared"));
        this.runner = queryRunner(1);
        runner.createCatalog("stele", "stele", sidecar.catalogProperties());
        runner.execute("CREATE SCHEMA stele.s");
    }

    /**
     * Workers besides the coordinator, which works as well, for Trino's own suites. Exchanges
     * between nodes take a third of their processor time, and what goes from node to node is the
     * matter of the tests on this cluster: by default they run on one node, and on three with
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
     * Waits until the engine sends splits to their homes: it looks for workers every 5 seconds, and
     * its first look may have come before a worker was announced. Until then it chooses at random,
     * and who is not at home keeps nothing.
     */
    static void awaitHomes(DistributedQueryRunner runner) {
        StableHostAddressProvider homes =
                runner.getCoordinator().getInstance(Key.get(StableHostAddressProvider.class));
        assertEventually(() -> assertThat(homes.getHosts("any")).isNotEmpty());
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

    /** A sidecar of the test's own in a process, as a catalog of this name. */
    KilledSidecar newSidecarProcess(String catalog, Map<String, String> more) throws IOException {
        KilledSidecar own =
                KilledSidecar.start(directory.resolve("process-" + catalogs.incrementAndGet()));
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

    /** Hands the shared cluster to tests, and closes it after the last one. */
    public static final class Shared implements BeforeAllCallback, ParameterResolver {
        private static final ExtensionContext.Namespace NAMESPACE =
                ExtensionContext.Namespace.create(SteleCluster.class);

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

        private static SteleCluster cluster(ExtensionContext context) {
            return context.getRoot()
                    .getStore(NAMESPACE)
                    .computeIfAbsent(
                            SteleCluster.class,
                            _ -> {
                                try {
                                    return new SteleCluster();
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            },
                            SteleCluster.class);
        }
    }
}
