package io.stele.storage.tablet;

/**
 * When rows that have ended, but that readers of the past still ask for, go into files of their
 * own: a scan of the present passes over such a history file unread, since all of its rows have
 * ended. Immutable.
 *
 * @param minRows fewer are cheaper to skip than to file
 */
record HistoryFiles(long minRows) {
    private static final int PART = 16; // with a smaller share, scans hardly notice

    /**
     * @param targetBytes size of merged files: history should be more than crumbs beside that
     */
    static HistoryFiles forFilesOf(long targetBytes) {
        return new HistoryFiles(Math.max(8, targetBytes >> 18));
    }

    /** Whether it is worth it for this many ended rows among all that are written. */
    boolean areWorthIt(long endedRows, long rows) {
        return endedRows >= minRows && endedRows * PART >= rows;
    }
}
