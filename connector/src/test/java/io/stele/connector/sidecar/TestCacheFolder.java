package io.stele.connector.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class TestCacheFolder {
    @Test
    void eachCatalogHasOneBelowTheDataDirectory() {
        assertThat(CacheFolder.of("lake_1", "/data/trino").path())
                .contains(Path.of("/data/trino/stele-cache/lake_1"));
        assertThat(CacheFolder.of("../a b", "/data").path())
                .contains(Path.of("/data/stele-cache/%2E%2E%2Fa+b"));
        assertThat(CacheFolder.of("..", "/data").path())
                .contains(Path.of("/data/stele-cache/%2E%2E"));
        assertThat(CacheFolder.of("lake", "").path()).isEmpty();
    }
}
