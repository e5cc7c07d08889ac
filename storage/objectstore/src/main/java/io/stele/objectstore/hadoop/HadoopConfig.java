package io.stele.objectstore.hadoop;

import static java.util.Objects.requireNonNull;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import jakarta.validation.constraints.NotNull;
import java.io.File;
import java.util.List;

/**
 * Configuration of the access to HDFS and other Hadoop file systems, by Hadoop's own configuration
 * files. Sidecars and Trino catalogs use the same keys. Used only where a location is on such a
 * file system.
 *
 * <p>Not final: airlift subclasses it to test its defaults.
 */
public class HadoopConfig {
    private List<File> resources = List.of();

    @NotNull
    public List<File> getResources() {
        return resources;
    }

    @Config("hadoop.config.resources")
    @ConfigDescription("Hadoop's XML files, such as core-site.xml and hdfs-site.xml; later win")
    public HadoopConfig setResources(List<String> resources) {
        this.resources =
                requireNonNull(resources, "resources is null").stream().map(File::new).toList();
        return this;
    }
}
