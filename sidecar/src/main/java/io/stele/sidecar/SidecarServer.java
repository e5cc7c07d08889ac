package io.stele.sidecar;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.inject.Injector;
import com.google.inject.Module;
import io.airlift.bootstrap.Bootstrap;
import io.airlift.bootstrap.LifeCycleManager;
import io.airlift.configuration.ConfigurationLoader;
import io.airlift.http.server.HttpServerModule;
import io.airlift.jaxrs.JaxrsModule;
import io.airlift.jmx.JmxModule;
import io.airlift.json.JsonModule;
import io.airlift.log.LogJmxModule;
import io.airlift.metrics.MetricsModule;
import io.airlift.node.NodeInfo;
import io.airlift.node.NodeModule;
import io.airlift.tracing.TracingModule;
import io.stele.engine.node.EngineFailure;
import io.stele.objectstore.cached.DefaultCacheRules;
import io.stele.sidecar.engine.CacheFolder.DataDirectory;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.StorageConfig;
import io.stele.sidecar.process.ServingState.Ports;
import io.stele.sidecar.process.Version;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import org.weakref.jmx.guice.MBeanModule;

/** A running sidecar, and the main class of its process. {@link #close} stops it. Thread safe. */
public final class SidecarServer implements AutoCloseable {
    private final LifeCycleManager lifeCycle;
    private final String nodeId;
    private final Ports ports;
    private final URI httpUri;
    private final EngineService engine;
    private final CompletableFuture<EngineFailure> failed;
    private final boolean exitsOnFailure;

    private SidecarServer(
            LifeCycleManager lifeCycle,
            String nodeId,
            Ports ports,
            URI httpUri,
            EngineService engine,
            CompletableFuture<EngineFailure> failed,
            boolean exitsOnFailure) {
        this.lifeCycle = requireNonNull(lifeCycle, "lifeCycle is null");
        this.nodeId = requireNonNull(nodeId, "nodeId is null");
        this.ports = requireNonNull(ports, "ports is null");
        this.httpUri = requireNonNull(httpUri, "httpUri is null");
        this.engine = requireNonNull(engine, "engine is null");
        this.failed = requireNonNull(failed, "failed is null");
        this.exitsOnFailure = exitsOnFailure;
    }

    /**
     * Starts the process: the only argument, or the system property {@code config}, is the path of
     * the properties file.
     */
    @EndsProcess
    public static void main(String[] args) {
        // Logging redirects System.err; a failure must reach the terminal as one plain line.
        PrintStream terminal = System.err;
        try {
            DataDirectory dataDirectory =
                    DataDirectory.of(System.getProperty(DefaultCacheRules.DATA_DIRECTORY, ""));
            SidecarServer server =
                    start(
                            configuration(args),
                            new Bootstrap(
                                    "io.stele.sidecar", modules(new JmxModule(), dataDirectory)));
            if (server.exitsOnFailure) {
                server.failed.thenAccept(new FailureExit(server, terminal)::begin);
            }
        } catch (StartupFailure e) {
            terminal.println(e.getMessage());
            terminal.flush();
            System.exit(1);
        }
    }

    /**
     * Starts a sidecar inside this JVM, for tests and tools: with these properties only, without
     * touching the logging, the system properties or the MBeans of the process.
     *
     * @throws StartupFailure when a property is wrong, a port is taken or the store cannot be
     *     recovered
     */
    public static SidecarServer start(Map<String, String> properties) {
        MBeanServer mbeans = MBeanServerFactory.newMBeanServer();
        return start(
                properties,
                new Bootstrap(
                                "io.stele.sidecar",
                                modules(
                                        binder -> binder.bind(MBeanServer.class).toInstance(mbeans),
                                        DataDirectory.of("")))
                        .doNotInitializeLogging()
                        .disableSystemProperties()
                        .quiet());
    }

    private static SidecarServer start(Map<String, String> properties, Bootstrap bootstrap) {
        try {
            Injector injector =
                    bootstrap
                            .setRequiredConfigurationProperties(properties)
                            .setOptionalConfigurationProperties(defaults(properties))
                            .initialize();
            LifeCycleManager lifeCycle = injector.getInstance(LifeCycleManager.class);
            try {
                Sidecar sidecar = injector.getInstance(Sidecar.class);
                Ports ports = sidecar.start();
                EngineService engine = injector.getInstance(EngineService.class);
                return new SidecarServer(
                        lifeCycle,
                        injector.getInstance(NodeInfo.class).getNodeId(),
                        ports,
                        sidecar.httpUri(),
                        engine,
                        engine.engine().failed(),
                        injector.getInstance(StorageConfig.class).isWalExitOnFailure());
            } catch (Throwable e) {
                lifeCycle.stop();
                throw e;
            }
        } catch (Exception | LinkageError e) {
            throw StartupFailure.of(e, properties);
        }
    }

    private static ImmutableList<Module> modules(Module mbeans, DataDirectory dataDirectory) {
        return ImmutableList.of(
                new NodeModule(),
                new HttpServerModule(),
                new JsonModule(),
                new JaxrsModule(),
                new MBeanModule(),
                mbeans,
                new MetricsModule(),
                new LogJmxModule(),
                new TracingModule("stele", Version.current()),
                binder -> binder.bind(DataDirectory.class).toInstance(dataDirectory),
                new SidecarModule());
    }

    /** Our defaults for the settings of airlift. They apply only where the user sets nothing. */
    private static Map<String, String> defaults(Map<String, String> properties) {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("node.environment", "stele");
        // Loopback only, until the operator names an address.
        defaults.put("node.bind-ip", "127.0.0.1");
        defaults.put("node.internal-address", properties.getOrDefault("node.bind-ip", "127.0.0.1"));
        defaults.put("http-server.log.enabled", "false");
        // Limits of unauthenticated clients at the HTTP port: no long idle connections, and few
        // streams per connection
        defaults.put("http-server.net.max-idle-time", "30s");
        defaults.put("http-server.http2.max-concurrent-streams", "128");
        if (Boolean.parseBoolean(properties.get("stele.tls.enabled"))) {
            defaults.put("http-server.http.enabled", "false");
            defaults.put("http-server.https.enabled", "true");
            defaults.put("http-server.https.port", "8480");
            copy(
                    properties,
                    "stele.tls.keystore.path",
                    defaults,
                    "http-server.https.keystore.path");
            copy(
                    properties,
                    "stele.tls.keystore.password",
                    defaults,
                    "http-server.https.keystore.key");
        } else {
            defaults.put("http-server.http.port", "8480");
        }
        return ImmutableMap.copyOf(defaults);
    }

    private static void copy(
            Map<String, String> from, String key, Map<String, String> to, String newKey) {
        String value = from.get(key);
        if (value != null) {
            to.put(newKey, value);
        }
    }

    private static Map<String, String> configuration(String[] args) {
        String path = args.length == 1 ? args[0] : System.getProperty("config", "");
        if (args.length > 1 || path.isEmpty()) {
            throw StartupFailure.usage(
                    "expected one argument, the path of the configuration file, found "
                            + args.length);
        }
        try {
            return ConfigurationLoader.loadPropertiesFrom(path);
        } catch (IOException e) {
            throw StartupFailure.usage(
                    "expected a readable configuration file, found "
                            + path
                            + ": "
                            + e.getMessage());
        }
    }

    EngineService engine() {
        return engine;
    }

    public String nodeId() {
        return nodeId;
    }

    /** The address of the HTTP server, for example {@code http://127.0.0.1:8480}. */
    public URI httpUri() {
        return httpUri;
    }

    public int httpPort() {
        return ports.httpPort();
    }

    public int flightPort() {
        return ports.flightPort();
    }

    /** The port of the framed protocol. */
    public int clientPort() {
        return ports.clientPort();
    }

    /** The port of PostgreSQL's protocol, if it is served. */
    public OptionalInt postgresqlPort() {
        return ports.postgresqlPort();
    }

    /**
     * Closes the ports, waits for accepted work to finish, and closes the engine. Further calls do
     * nothing.
     */
    @Override
    public void close() {
        lifeCycle.stop();
    }
}
