package io.stele.engine.compaction.policy;

/**
 * A policy for history files: separate column files for obsolete row versions that readers of the
 * past still need. A scan of the present skips such a file unread, since all of its rows are
 * obsolete. Immutable.
 *
 * @param minRows fewer obsolete rows cost less to skip than a file of their own
 */
public record HistoryFiles(long minRows) {
    private static final int PART = 16; // with a smaller share, scans hardly notice

    /**
     * @param targetBytes size of compacted files: a history file should not be tiny compared with
     *     it
     */
    public static HistoryFiles forFilesOf(long targetBytes) {
        return new HistoryFiles(Math.max(8, targetBytes >> 18));
    }

    /** Whether it is worth it for this many ended rows among all that are written. */
    public boolean areWorthIt(long endedRows, long rows) {
        return endedRows >= minRows && endedRows * PART >= rows;
    }
}
