package io.stele.objectstore.cached;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import io.stele.cache.page.PageGeometry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestDataCacheConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(DataCacheConfig.class)
                        .setEnabled(null)
                        .setDirectories(List.of())
                        .setMaxSizes(List.of())
                        .setPageSize(DataSize.of(1, Unit.MEGABYTE))
                        .setAdmission(true)
                        .setShares(List.of()));
    }

    /** What `page-cache` measures is what the product does. */
    @Test
    void pagesAreThoseOfTheBenchmark() {
        long pageBytes = new DataCacheConfig().getPageSize().toBytes();
        assertThat(PageGeometry.ofPages((int) pageBytes)).isEqualTo(PageGeometry.DEFAULT);
    }

    /** A part of a group of them that is not the only one takes the room of four. */
    @Test
    void fullPagesTakeNoMoreThanTheirBytes() {
        for (int kilobytes = 64; kilobytes <= 1024; kilobytes *= 2) {
            PageGeometry geometry = PageGeometry.ofPages(kilobytes << 10);
            int units = geometry.unitsPerPage();
            assertThat(units == 1 || units % PageGeometry.GROUP_UNITS == 0)
                    .as("%s kB", kilobytes)
                    .isTrue();
            assertThat((long) units * geometry.unitBytes())
                    .isBetween(kilobytes * 1024L, kilobytes * 1024L * 104 / 100);
        }
    }

    @Test
    void explicitMappings() {
        assertFullMapping(
                Map.ofEntries(
                        Map.entry("stele.cache.enabled", "true"),
                        Map.entry("stele.cache.directories", "/ssd1/pages,/ssd2/pages"),
                        Map.entry("stele.cache.max-sizes", "100GB,200GB"),
                        Map.entry("stele.cache.page-size", "128kB"),
                        Map.entry("stele.cache.admission-enabled", "false"),
                        Map.entry("stele.cache.shares", "sales.orders:0.3,sales.items:0.2")),
                new DataCacheConfig()
                        .setEnabled(true)
                        .setDirectories(List.of("/ssd1/pages", "/ssd2/pages"))
                        .setMaxSizes(
                                List.of(
                                        DataSize.of(100, Unit.GIGABYTE),
                                        DataSize.of(200, Unit.GIGABYTE)))
                        .setPageSize(DataSize.of(128, Unit.KILOBYTE))
                        .setAdmission(false)
                        .setShares(List.of("sales.orders:0.3", "sales.items:0.2")));
    }

    @Test
    void whatDoesNotFitTogetherIsNotValid() {
        DataCacheConfig config = new DataCacheConfig();
        assertThat(config.isMaxSizesComplete()).isTrue();
        config.setDirectories(List.of("/a", "/a"));
        assertThat(config.isMaxSizesComplete()).isFalse();
        assertThat(config.isDirectoriesDistinct()).isFalse();
        // Of the default folder
        List<DataSize> sizes =
                List.of(DataSize.of(1, Unit.GIGABYTE), DataSize.of(2, Unit.GIGABYTE));
        assertThat(new DataCacheConfig().setMaxSizes(sizes.subList(0, 1)).isMaxSizesComplete())
                .isTrue();
        assertThat(new DataCacheConfig().setMaxSizes(sizes).isMaxSizesComplete()).isFalse();
        assertThat(
                        new DataCacheConfig()
                                .setPageSize(DataSize.of(100, Unit.KILOBYTE))
                                .isPageSizePowerOfTwo())
                .isFalse();
    }

    @Test
    void sharesAreNamesWithNumbers() {
        DataCacheConfig config = new DataCacheConfig().setShares(List.of("s.a:0.5", "s.b:0.5"));
        assertThat(config.isSharesValid()).isTrue();
        assertThat(config.tableShares()).isEqualTo(Map.of("s.a", 0.5, "s.b", 0.5));
        for (String wrong : List.of("s.a", ":0.1", "s.a:x", "s.a:-0.1", "s.a:1.1", "s.a:NaN")) {
            assertThat(new DataCacheConfig().setShares(List.of(wrong)).isSharesValid())
                    .as(wrong)
                    .isFalse();
        }
        assertThat(config.setShares(List.of("s.a:0.6", "s.b:0.5")).isSharesValid()).isFalse();
    }
}
