package io.stele.objectstore.hadoop;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestHadoopConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(recordDefaults(HadoopConfig.class).setResources(List.of()));
    }

    @Test
    void explicitMappings() {
        assertFullMapping(
                Map.of("hadoop.config.resources", "/etc/core-site.xml,/etc/hdfs-site.xml"),
                new HadoopConfig()
                        .setResources(List.of("/etc/core-site.xml", "/etc/hdfs-site.xml")));
    }

    @Test
    void missingFilesAreNamed() {
        assertThatThrownBy(
                        () ->
                                HadoopFileSystems.open(
                                        HadoopLocation.parse("hdfs://host:1/x"),
                                        new HadoopConfig()
                                                .setResources(List.of("/no/core-site.xml"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("hadoop.config.resources")
                .hasMessageContaining("/no/core-site.xml");
    }
}
