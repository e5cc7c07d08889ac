package io.stele.protocol.api.maintenance;

import java.util.Locale;

/** A kind of long work on one table. */
public enum JobKind {
    /** Writes what is in memory into files. */
    FLUSH("shards", true),
    /** Flushes, then compacts until no files are left to compact. */
    COMPACT("bytes", true),
    /** Flushes, and sketches the columns of files that were written without. */
    ANALYZE("bytes", true),
    /** Discards history; the argument is the LSN below which it is discarded. */
    EXPIRE_HISTORY("bytes", false),
    /**
     * Deletes files that belong to nothing; the argument is the moment before which they changed
     * last, in milliseconds since 1970.
     */
    REMOVE_ORPHAN_FILES("files", false),
    /** Makes the entries of a secondary index; the argument is the id of the index. */
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

    /** Its name for people. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
