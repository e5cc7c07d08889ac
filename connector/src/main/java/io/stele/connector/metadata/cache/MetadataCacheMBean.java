package io.stele.connector.metadata.cache;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.storage.objectstore.cached.DataCacheMetrics;
import jakarta.annotation.PreDestroy;
import java.util.Map;
import org.weakref.jmx.JmxException;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/** The metrics of a catalog's metadata cache as an MBean. Thread-safe. */
public final class MetadataCacheMBean {
    private static final Logger log = Logger.get(MetadataCacheMBean.class);

    private final MBeanExporter exporter;
    private final String name;

    @Inject
    public MetadataCacheMBean(
            MetadataCache cache, MBeanExporter exporter, ObjectNameGenerator names) {
        this.exporter = requireNonNull(exporter, "exporter is null");
        // The generator knows the domain of the caches by this class
        this.name = names.generatedNameOf(DataCacheMetrics.class, Map.of("type", "metadata_cache"));
        exporter.export(name, cache.metrics());
    }

    /** Several nodes of one JVM, as in tests, share a name: the first to end takes it back. */
    @PreDestroy
    public void unexport() {
        try {
            exporter.unexport(name);
        } catch (JmxException e) {
            log.debug(e, "No MBean %s", name);
        }
    }
}
