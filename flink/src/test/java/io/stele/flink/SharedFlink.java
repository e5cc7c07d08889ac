package io.stele.flink;

import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/**
 * A Flink cluster in this JVM for all jobs of a test class. A session without one starts a cluster
 * for each of its statements, which takes longer than most statements. Thread-safe.
 */
final class SharedFlink implements AutoCloseable {
    private static final int SLOTS = 8;

    private final MiniCluster cluster;

    private SharedFlink(MiniCluster cluster) {
        this.cluster = cluster;
    }

    static SharedFlink start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("rest.bind-address", "127.0.0.1");
        configuration.setString("rest.port", "0");
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(SLOTS)
                                .build());
        cluster.start();
        return new SharedFlink(cluster);
    }

    /** The configuration of a session whose jobs run here. */
    Configuration configuration() throws Exception {
        URI address = cluster.getRestAddress().get(1, TimeUnit.MINUTES);
        Configuration configuration = new Configuration();
        configuration.setString("execution.target", "remote");
        configuration.setString("rest.address", address.getHost());
        configuration.setString("rest.port", Integer.toString(address.getPort()));
        return configuration;
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }
}
