package io.stele.sidecar.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.engine.CacheFolder.DataDirectory;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestCacheFolder {
    private static Optional<Path> folder(String log, String dataDirectory) {
        return new CacheFolder(new StorageConfig().setWalPath(log), DataDirectory.of(dataDirectory))
                .path();
    }

    @Test
    void itIsBesideTheLog() {
        assertThat(folder("/srv/stele/wal", "/other")).contains(Path.of("/srv/stele/wal-cache"));
        assertThat(folder("var/log", "")).contains(Path.of("var/log-cache").toAbsolutePath());
        assertThat(folder("/", "")).isEmpty();
    }

    @Test
    void withALogOverANetworkItIsInTheDataDirectory() {
        for (String log : new String[] {"s3://bucket/log", "hdfs://host:9000/log"}) {
            assertThat(folder(log, "/srv/data")).contains(Path.of("/srv/data/cache"));
            assertThat(folder(log, "")).isEmpty();
        }
    }
}
