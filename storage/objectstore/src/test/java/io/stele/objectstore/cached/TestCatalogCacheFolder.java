package io.stele.objectstore.cached;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class TestCatalogCacheFolder {
    @Test
    void eachCatalogHasOneBelowTheDataDirectory() {
        assertThat(CatalogCacheFolder.of("lake_1", "/data/trino").path())
                .contains(Path.of("/data/trino/stele-cache/lake_1"));
        assertThat(CatalogCacheFolder.of("../a b", "/data").path())
                .contains(Path.of("/data/stele-cache/%2E%2E%2Fa+b"));
        assertThat(CatalogCacheFolder.of("..", "/data").path())
                .contains(Path.of("/data/stele-cache/%2E%2E"));
        assertThat(CatalogCacheFolder.of("lake", "").path()).isEmpty();
    }
}
