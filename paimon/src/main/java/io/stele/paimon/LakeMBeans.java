package io.stele.paimon;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.objectstore.cached.DataCacheMetrics;
import io.stele.paimon.image.ImageMetrics;
import io.stele.paimon.metadata.LeaseMetrics;
import io.stele.paimon.read.FileMetadataMetrics;
import jakarta.annotation.PreDestroy;
import java.util.List;
import java.util.Map;
import org.weakref.jmx.JmxException;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/**
 * An exporter of the metrics of one catalog's metadata images, leases and file metadata cache to
 * JMX, from the catalog's start to its shutdown. The data page cache exports its own metrics.
 * Thread-safe.
 */
final class LakeMBeans {
    private static final Logger log = Logger.get(LakeMBeans.class);

    private final MBeanExporter exporter;
    private final List<String> names;

    @Inject
    LakeMBeans(
            ImageMetrics images,
            FileMetadataMetrics files,
            LeaseMetrics leases,
            MBeanExporter exporter,
            ObjectNameGenerator generator) {
        this.exporter = requireNonNull(exporter, "exporter is null");
        String ofImages = name(generator, "paimon_images");
        String ofFiles = name(generator, "file_metadata_cache");
        String ofLeases = name(generator, "paimon_leases");
        names = List.of(ofImages, ofFiles, ofLeases);
        exporter.export(ofImages, images);
        exporter.export(ofFiles, files);
        exporter.export(ofLeases, leases);
    }

    private static String name(ObjectNameGenerator generator, String type) {
        // The generator derives the domain from this class
        return generator.generatedNameOf(DataCacheMetrics.class, Map.of("type", type));
    }

    /** Nodes in one JVM, as in tests, share the names, so an MBean may be unregistered already. */
    @PreDestroy
    void unexport() {
        for (String name : names) {
            try {
                exporter.unexport(name);
            } catch (JmxException e) {
                log.debug(e, "No MBean %s", name);
            }
        }
    }
}
