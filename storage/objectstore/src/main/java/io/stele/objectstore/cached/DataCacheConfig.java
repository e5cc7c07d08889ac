package io.stele.objectstore.cached;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.DataSize;
import io.airlift.units.MaxDataSize;
import io.airlift.units.MinDataSize;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.NotNull;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of the data page cache, which stores pages of data files on local disks of this
 * host. Sidecars and Trino catalogs use the same keys. Without configured directories, the cache is
 * in a folder beside the data of the process, as {@link DefaultCacheRules} defines it.
 *
 * <p>Not final: airlift subclasses it to test its defaults.
 */
public class DataCacheConfig {
    private Optional<Boolean> enabled = Optional.empty();
    private List<String> directories = List.of();
    private List<DataSize> maxSizes = List.of();
    // 1 MB: of a page only the units that are wanted are fetched, and an entry of the index takes
    // the same heap for any size
    private DataSize pageSize = DataSize.of(1, DataSize.Unit.MEGABYTE);
    private boolean admission = true;
    private List<String> shares = List.of();

    /** Whether the cache is used; empty: for a warehouse over a network only. */
    public Optional<Boolean> getEnabled() {
        return enabled;
    }

    @Config("stele.cache.enabled")
    @ConfigDescription(
            "Whether data files are read through pages on local disks; default: those of a warehouse over a network")
    public DataCacheConfig setEnabled(@Nullable Boolean enabled) {
        this.enabled = Optional.ofNullable(enabled);
        return this;
    }

    @NotNull
    public List<String> getDirectories() {
        return directories;
    }

    @Config("stele.cache.directories")
    @ConfigDescription(
            "Directories for pages, of this process alone, best one a disk; default: a folder beside the data of the process")
    public DataCacheConfig setDirectories(List<String> directories) {
        this.directories = List.copyOf(directories);
        return this;
    }

    @AssertTrue(message = "stele.cache.directories must not name a directory twice")
    public boolean isDirectoriesDistinct() {
        return new HashSet<>(directories).size() == directories.size();
    }

    @NotNull
    public List<DataSize> getMaxSizes() {
        return maxSizes;
    }

    @Config("stele.cache.max-sizes")
    @ConfigDescription(
            "What each of the directories may take on disk, in their order; without directories, what the default folder may take")
    public DataCacheConfig setMaxSizes(List<DataSize> maxSizes) {
        this.maxSizes = List.copyOf(maxSizes);
        return this;
    }

    @AssertTrue(
            message =
                    "stele.cache.max-sizes must have one size for each of stele.cache.directories, and one at most without")
    public boolean isMaxSizesComplete() {
        return directories.isEmpty() ? maxSizes.size() <= 1 : maxSizes.size() == directories.size();
    }

    @MinDataSize("64kB")
    @MaxDataSize("1MB")
    public DataSize getPageSize() {
        return pageSize;
    }

    @Config("stele.cache.page-size")
    @ConfigDescription(
            "What is looked up and evicted as one, a power of two; what is fetched and cached at least are parts of it of about 64 kB, or all of one of 128 kB")
    public DataCacheConfig setPageSize(DataSize pageSize) {
        this.pageSize = pageSize;
        return this;
    }

    @AssertTrue(message = "stele.cache.page-size must be a power of two")
    public boolean isPageSizePowerOfTwo() {
        return Long.bitCount(pageSize.toBytes()) == 1;
    }

    public boolean isAdmission() {
        return admission;
    }

    @Config("stele.cache.admission-enabled")
    @ConfigDescription(
            "Whether pages that were read once make way in a full cache for those that are read again and again")
    public DataCacheConfig setAdmission(boolean admission) {
        this.admission = admission;
        return this;
    }

    @NotNull
    public List<String> getShares() {
        return shares;
    }

    @Config("stele.cache.shares")
    @ConfigDescription(
            "Parts of the cache reserved for tables, such as sales.orders:0.3; what a table does not use, others borrow")
    public DataCacheConfig setShares(List<String> shares) {
        this.shares = List.copyOf(shares);
        return this;
    }

    @AssertTrue(
            message =
                    "stele.cache.shares must be schema.table:share, ..., the shares from 0 to 1 and at most 1 together")
    public boolean isSharesValid() {
        try {
            return tableShares().values().stream().mapToDouble(Double::doubleValue).sum()
                    <= 1.000001;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * The reserved shares, by name of the table.
     *
     * @throws IllegalArgumentException if the configured text is malformed
     */
    Map<String, Double> tableShares() {
        Map<String, Double> result = new TreeMap<>();
        for (String text : shares) {
            int colon = text.lastIndexOf(':');
            double share = colon < 1 ? -1 : Double.parseDouble(text.substring(colon + 1));
            if (!(share >= 0 && share <= 1)) {
                throw new IllegalArgumentException(
                        String.format(
                                Locale.ROOT,
                                "Expected schema.table:share with a share from 0 to 1, found '%s'",
                                text));
            }
            result.put(text.substring(0, colon).strip(), share);
        }
        return result;
    }
}
