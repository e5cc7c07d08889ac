package io.stele.connector.sidecar;

/** The modes in which a scan of a file uses the data page cache of its worker. */
public enum CacheUse {
    /** The scan bypasses the cache. */
    OFF,
    /**
     * Reads through the cache on a worker that is not the preferred one. Pages found are used, but
     * fetched pages are cached only if they are fetched again. Usually other workers read the file,
     * and this cache is for the files whose preferred worker this is.
     */
    SECOND_ACCESS,
    /** Pages found are used, and fetched pages are cached. */
    FILL
}
