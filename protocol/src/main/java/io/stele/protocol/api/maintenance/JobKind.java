package io.stele.protocol.api.maintenance;

import java.util.Locale;

/** The kinds of maintenance jobs on one table, which a request can start. */
public enum JobKind {
    /** Flushes the table's rows in memory to files. */
    FLUSH("shards", true),
    /** Flushes, then compacts until no files are left to compact. */
    COMPACT("bytes", true),
    /** Flushes, and adds column sketches to files that were written without sketches. */
    ANALYZE("bytes", true),
    /** Discards history; the argument is the LSN below which it is discarded. */
    EXPIRE_HISTORY("bytes", false),
    /**
     * Deletes orphan files; the argument is a time in epoch milliseconds: files changed at or after
     * it are not deleted.
     */
    REMOVE_ORPHAN_FILES("files", false),
    /** Creates the entries of a secondary index; the argument is the id of the index. */
    BUILD_INDEX("rows", false);

    private final String unit;
    private final boolean coversOnlyThePast;

    JobKind(String unit, boolean coversOnlyThePast) {
        this.unit = unit;
        this.coversOnlyThePast = coversOnlyThePast;
    }

    /** The unit of its progress. */
    public String unit() {
        return unit;
    }

    /** Whether a job excludes data that was written after its request. */
    public boolean coversOnlyThePast() {
        return coversOnlyThePast;
    }

    /** The name in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
