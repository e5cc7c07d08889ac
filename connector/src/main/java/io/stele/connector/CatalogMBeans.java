package io.stele.connector;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.connector.metadata.cache.MetadataCache;
import io.stele.connector.sidecar.Warehouse;
import io.stele.objectstore.cached.DataCacheMetrics;
import io.stele.objectstore.retrieval.BalanceMetrics;
import jakarta.annotation.PreDestroy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.weakref.jmx.JmxException;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/**
 * The MBeans of a catalog: the metrics of its metadata cache and of its retrieval balance.
 * Thread-safe.
 */
final class CatalogMBeans {
    private static final Logger log = Logger.get(CatalogMBeans.class);

    private final MBeanExporter exporter;
    private final ObjectNameGenerator names;
    private final List<String> exported = new ArrayList<>(); // unchanged after construction

    @Inject
    CatalogMBeans(
            MetadataCache metadata,
            Warehouse warehouse,
            MBeanExporter exporter,
            ObjectNameGenerator names) {
        this.exporter = requireNonNull(exporter, "exporter is null");
        this.names = requireNonNull(names, "names is null");
        export("metadata_cache", metadata.metrics());
        export("retrieval_balance", new BalanceMetrics(warehouse::readingAhead));
    }

    private void export(String type, Object metrics) {
        // The name generator derives the domain from this class
        String name = names.generatedNameOf(DataCacheMetrics.class, Map.of("type", type));
        exporter.export(name, metrics);
        exported.add(name);
    }

    /**
     * Unregisters the MBeans. Several nodes of one JVM, as in tests, share a name, which the first
     * to stop unregisters.
     */
    @PreDestroy
    void unexport() {
        for (String name : exported) {
            try {
                exporter.unexport(name);
            } catch (JmxException e) {
                log.debug(e, "No MBean %s", name);
            }
        }
    }
}
