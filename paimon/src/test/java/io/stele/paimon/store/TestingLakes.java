package io.stele.paimon.store;

import com.google.common.collect.ImmutableMap;
import io.airlift.configuration.ConfigurationFactory;
import io.stele.objectstore.cached.CatalogCacheFolder;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.s3.S3Config;
import io.stele.paimon.config.PaimonConfig;
import java.util.Map;
import java.util.Optional;
import javax.management.MBeanServerFactory;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/** Lakes of tests. */
final class TestingLakes {
    private TestingLakes() {}

    /** A lake without a data page cache. */
    static PaimonLake open(String warehouse, Map<String, String> properties) {
        return open(warehouse, properties, cache(new DataCacheConfig().setEnabled(false)));
    }

    static PaimonLake open(String warehouse, Map<String, String> properties, LakeDataCache cache) {
        return new PaimonLake(
                new PaimonConfig().setWarehouse(warehouse),
                new ConfigurationFactory(ImmutableMap.copyOf(properties)).build(S3Config.class),
                new HadoopConfig(),
                new RetrievalConfig(),
                cache);
    }

    static LakeDataCache cache(DataCacheConfig config) {
        return new LakeDataCache(
                config,
                new CatalogCacheFolder(Optional.empty()),
                new MBeanExporter(MBeanServerFactory.newMBeanServer()),
                ObjectNameGenerator.defaultObjectNameGenerator());
    }
}
