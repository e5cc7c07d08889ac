package io.stele.paimon;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.objectstore.cached.DataCacheMetrics;
import io.stele.paimon.image.ImageMetrics;
import jakarta.annotation.PreDestroy;
import java.util.Map;
import org.weakref.jmx.JmxException;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/** The MBean of a catalog's images; that of its data page cache is the cache's. Thread-safe. */
final class LakeMBeans {
    private static final Logger log = Logger.get(LakeMBeans.class);

    private final MBeanExporter exporter;
    private final String name;

    @Inject
    LakeMBeans(ImageMetrics images, MBeanExporter exporter, ObjectNameGenerator names) {
        this.exporter = requireNonNull(exporter, "exporter is null");
        // The name generator derives the domain from this class
        name = names.generatedNameOf(DataCacheMetrics.class, Map.of("type", "paimon_images"));
        exporter.export(name, images);
    }

    /** Several nodes of one JVM, as in tests, share a name: the first to end takes it back. */
    @PreDestroy
    void unexport() {
        try {
            exporter.unexport(name);
        } catch (JmxException e) {
            log.debug(e, "No MBean %s", name);
        }
    }
}
