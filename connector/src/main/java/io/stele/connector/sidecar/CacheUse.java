package io.stele.connector.sidecar;

/** The modes in which a scan of a file uses the data page cache of its worker. */
public enum CacheUse {
    /** Nothing: it reads past the cache. */
    OFF,
    /**
     * The pages that are there. What it fetches is kept only if it is fetched again: other workers
     * read the file as a rule, and this one's cache is for files that it reads as a rule.
     */
    VISIT,
    /** The pages that are there, and it leaves those it fetches. */
    FILL
}
