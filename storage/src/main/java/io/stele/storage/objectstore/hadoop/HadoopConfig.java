package io.stele.storage.objectstore.hadoop;

import static java.util.Objects.requireNonNull;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import jakarta.validation.constraints.NotNull;
import java.io.File;
import java.util.List;

/**
 * How HDFS and other file systems of Hadoop are reached, for sidecars and catalogs alike: by
 * Hadoop's own files. Used only where a location is on one of them.
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
