package io.stele.paimon;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.objectstore.cached.DataCacheMetrics;
import io.stele.paimon.read.FileMetadataMetrics;
import jakarta.annotation.PreDestroy;
import java.util.Map;
import org.weakref.jmx.JmxException;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/** The MBeans of a catalog beside those of its data cache. Thread-safe. */
final class PaimonMBeans {
    private static final Logger log = Logger.get(PaimonMBeans.class);

    private final MBeanExporter exporter;
    private final String fileMetadata;

    @Inject
    PaimonMBeans(FileMetadataMetrics metrics, MBeanExporter exporter, ObjectNameGenerator names) {
        this.exporter = requireNonNull(exporter, "exporter is null");
        // The name generator derives the domain from this class
        fileMetadata =
                names.generatedNameOf(
                        DataCacheMetrics.class, Map.of("type", "file_metadata_cache"));
        exporter.export(fileMetadata, metrics);
    }

    /** Several nodes of one JVM, as in tests, share a name: the first to end takes it back. */
    @PreDestroy
    void unexport() {
        try {
            exporter.unexport(fileMetadata);
        } catch (JmxException e) {
            log.debug(e, "No MBean %s", fileMetadata);
        }
    }
}
