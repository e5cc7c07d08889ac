package io.stele.engine.compaction.policy;

/**
 * The policy that decides when a flush or compaction writes obsolete row versions, which readers of
 * the past still need, into separate history files. A scan of the present skips such a file unread,
 * since all of its rows are obsolete. Immutable.
 *
 * @param minRows fewer obsolete rows cost less to skip than a file of their own
 */
public record HistoryFiles(long minRows) {
    private static final int PART = 16; // a smaller share hardly slows scans

    /**
     * @param targetBytes size of compacted files, compared with which a history file should not be
     *     tiny
     */
    public static HistoryFiles forFilesOf(long targetBytes) {
        return new HistoryFiles(Math.max(8, targetBytes >> 18));
    }

    /** Whether a history file is worth it for a number of obsolete rows among all written rows. */
    public boolean areWorthIt(long endedRows, long rows) {
        return endedRows >= minRows && endedRows * PART >= rows;
    }
}
