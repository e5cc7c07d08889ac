package io.stele.protocol.api.scan;

/**
 * The ids and names of the hidden columns of every table, which scans can request: LSN and
 * generated row id.
 */
public final class HiddenColumns {
    /** BIGINT: the LSN of the row's version. */
    public static final int LSN = -1;

    /** BIGINT: the generated row id of a table without a primary key, unique in its shard. */
    public static final int ROW_ID = -2;

    public static final String LSN_NAME = "_lsn";
    public static final String ROW_ID_NAME = "_row_id";

    private HiddenColumns() {}
}
