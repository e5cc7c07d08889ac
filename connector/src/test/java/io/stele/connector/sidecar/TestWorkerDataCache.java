package io.stele.connector.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import io.stele.connector.config.SteleConfig;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.cached.CatalogCacheFolder;
import io.stele.objectstore.cached.DataCacheConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

final class TestWorkerDataCache {
    @TempDir private Path directory;

    private final List<Runnable> later = new ArrayList<>();

    private WorkerDataCache open(Instant now) {
        WorkerDataCache opened =
                new WorkerDataCache(
                        new DataCacheConfig()
                                .setEnabled(true)
                                .setMaxSizes(List.of(DataSize.of(1, Unit.GIGABYTE))),
                        new SteleConfig(),
                        CatalogCacheFolder.of("mine", directory.toString()),
                        new MBeanExporter(MBeanServerFactory.newMBeanServer()),
                        ObjectNameGenerator.defaultObjectNameGenerator(),
                        Clock.fixed(now, ZoneOffset.UTC),
                        _ -> later::add);
        opened.over(new InMemoryObjectStore());
        assertThat(opened.space()).isPresent();
        return opened;
    }

    /** Not while the node's other catalogs open theirs, nor when the catalog has gone. */
    @Test
    void cachesOfDroppedCatalogsAreEmptiedLater() throws IOException {
        Path other = CatalogCacheFolder.of("dropped", directory.toString()).path().orElseThrow();
        Path segment = other.resolve("pages").resolve("00000000.pages");
        Files.createDirectories(segment.getParent());
        Files.write(segment, new byte[100]);
        Instant now = Instant.now().plus(Duration.ofDays(31));

        WorkerDataCache closed = open(now);
        assertThat(segment).exists();
        closed.close();
        assertThat(later).hasSize(1);
        later.removeFirst().run();
        assertThat(segment).exists();

        WorkerDataCache open = open(Instant.now());
        later.removeFirst().run();
        assertThat(segment).exists();
        open.close();

        open = open(now);
        assertThat(segment).exists();
        later.removeFirst().run();
        assertThat(segment).doesNotExist();
        open.close();
    }
}
