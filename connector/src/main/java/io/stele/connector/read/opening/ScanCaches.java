package io.stele.connector.read.opening;

import static java.util.Objects.requireNonNull;

import io.stele.connector.sidecar.CacheUse;

/**
 * The choice of a worker's caches that the scan of a column file uses.
 *
 * @param pages how it uses the data page cache
 * @param footers whether file metadata is cached
 * @param columns whether decoded columns are cached
 */
public record ScanCaches(CacheUse pages, boolean footers, boolean columns) {
    public ScanCaches {
        requireNonNull(pages, "pages is null");
    }

    /** All caches. */
    public static ScanCaches all(CacheUse pages) {
        return new ScanCaches(pages, true, true);
    }
}
