package io.stele.paimon.config;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static io.airlift.testing.ValidationAssertions.assertFailsValidation;
import static io.airlift.testing.ValidationAssertions.assertValidates;
import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.common.collect.ImmutableMap;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.NotNull;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestPaimonConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(PaimonConfig.class)
                        .setWarehouse(null)
                        .setMetastore(Metastore.FILESYSTEM)
                        .setMetastoreUri(null)
                        .setMetastoreUser(null)
                        .setMetastorePassword(null)
                        .setMetastoreToken(null)
                        .setMetastoreCatalogKey(null)
                        .setSnapshotMaxStaleness(new Duration(200, MILLISECONDS))
                        .setSnapshotCheckInterval(new Duration(200, MILLISECONDS))
                        .setMetadataCacheSize(DataSize.of(256, MEGABYTE))
                        .setFileMetadataCacheSize(DataSize.of(64, MEGABYTE))
                        .setMaxSplitSize(DataSize.of(64, MEGABYTE))
                        .setDynamicFilterWaitTimeout(new Duration(1, SECONDS))
                        .setWritesEnabled(true)
                        .setWriteBufferSize(DataSize.of(64, MEGABYTE)));
    }

    @Test
    void explicitMappings() {
        Map<String, String> properties =
                ImmutableMap.<String, String>builder()
                        .put("stele.paimon.warehouse", "lake")
                        .put("stele.paimon.metastore", "rest")
                        .put("stele.paimon.metastore.uri", "https://example.net:8443")
                        .put("stele.paimon.metastore.user", "reader")
                        .put("stele.paimon.metastore.password", "secret")
                        .put("stele.paimon.metastore.token", "0123456789abcdef")
                        .put("stele.paimon.metastore.catalog-key", "other")
                        .put("stele.paimon.snapshot.max-staleness", "0s")
                        .put("stele.paimon.snapshot.check-interval", "1s")
                        .put("stele.paimon.metadata-cache.size", "1GB")
                        .put("stele.paimon.file-metadata-cache.size", "128MB")
                        .put("stele.paimon.max-split-size", "32MB")
                        .put("stele.paimon.dynamic-filter.wait-timeout", "5s")
                        .put("stele.paimon.writes-enabled", "false")
                        .put("stele.paimon.write-buffer-size", "16MB")
                        .buildOrThrow();
        PaimonConfig expected =
                new PaimonConfig()
                        .setWarehouse("lake")
                        .setMetastore(Metastore.REST)
                        .setMetastoreUri("https://example.net:8443")
                        .setMetastoreUser("reader")
                        .setMetastorePassword("secret")
                        .setMetastoreToken("0123456789abcdef")
                        .setMetastoreCatalogKey("other")
                        .setSnapshotMaxStaleness(new Duration(0, SECONDS))
                        .setSnapshotCheckInterval(new Duration(1, SECONDS))
                        .setMetadataCacheSize(DataSize.of(1, DataSize.Unit.GIGABYTE))
                        .setFileMetadataCacheSize(DataSize.of(128, MEGABYTE))
                        .setMaxSplitSize(DataSize.of(32, MEGABYTE))
                        .setDynamicFilterWaitTimeout(new Duration(5, SECONDS))
                        .setWritesEnabled(false)
                        .setWriteBufferSize(DataSize.of(16, MEGABYTE));
        assertFullMapping(properties, expected);
    }

    @Test
    void needsAWarehouse() {
        assertFailsValidation(new PaimonConfig(), "warehouse", "must not be null", NotNull.class);
    }

    @Test
    void refusesHiveByName() {
        assertFailsValidation(
                config().setMetastore(Metastore.HIVE),
                "metastoreSupported",
                "stele.paimon.metastore must be filesystem, rest or jdbc: the client of hive is not"
                        + " in this plugin",
                AssertTrue.class);
    }

    @Test
    void metastoresHaveTheirUris() {
        String expected =
                "stele.paimon.metastore.uri must be http://... or https://... for rest, jdbc:..."
                        + " for jdbc, and unset for filesystem";
        assertValidates(config());
        assertValidates(config().setMetastore(Metastore.JDBC).setMetastoreUri("jdbc:sqlite:x"));
        assertValidates(
                config().setMetastore(Metastore.REST)
                        .setMetastoreUri("http://host:1")
                        .setMetastoreToken("t"));
        for (PaimonConfig wrong :
                new PaimonConfig[] {
                    config().setMetastoreUri("http://host:1"),
                    config().setMetastore(Metastore.JDBC),
                    config().setMetastore(Metastore.JDBC).setMetastoreUri("http://host:1"),
                    config().setMetastore(Metastore.REST).setMetastoreToken("t")
                }) {
            assertFailsValidation(wrong, "metastoreUriValid", expected, AssertTrue.class);
        }
    }

    @Test
    void urisHaveNoSecrets() {
        String expected =
                "stele.paimon.metastore.uri must have no user and password: they are"
                        + " stele.paimon.metastore.user and stele.paimon.metastore.password";
        for (String uri :
                new String[] {
                    "jdbc:postgresql://h/db?ssl=true&password=p",
                    "jdbc:mysql://u:p@h/db",
                    "jdbc:sqlserver://h;Password=p"
                }) {
            assertFailsValidation(
                    config().setMetastore(Metastore.JDBC).setMetastoreUri(uri),
                    "metastoreUriPublic",
                    expected,
                    AssertTrue.class);
        }
        assertValidates(
                config().setMetastore(Metastore.JDBC)
                        .setMetastoreUri("jdbc:postgresql://h:5432/db?ssl=true"));
    }

    @Test
    void tokensAreForRest() {
        String expected = "stele.paimon.metastore.token must be set for rest, and for it alone";
        assertFailsValidation(
                config().setMetastoreToken("t"), "metastoreTokenValid", expected, AssertTrue.class);
        assertFailsValidation(
                config().setMetastore(Metastore.REST).setMetastoreUri("http://host:1"),
                "metastoreTokenValid",
                expected,
                AssertTrue.class);
    }

    private static PaimonConfig config() {
        return new PaimonConfig().setWarehouse("/lake");
    }
}
