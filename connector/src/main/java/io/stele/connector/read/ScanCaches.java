package io.stele.connector.read;

import static java.util.Objects.requireNonNull;

import io.stele.connector.sidecar.CacheUse;

/**
 * Which caches of its worker a scan of a file uses.
 *
 * @param pages what it has from the data page cache
 * @param footers whether footers are kept
 * @param columns whether decoded columns are kept
 */
public record ScanCaches(CacheUse pages, boolean footers, boolean columns) {
    public ScanCaches {
        requireNonNull(pages, "pages is null");
    }

    /** All of them. */
    public static ScanCaches all(CacheUse pages) {
        return new ScanCaches(pages, true, true);
    }
}
