package io.stele.protocol.api.maintenance;

import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.TableRequest;

/**
 * The actions that run and list maintenance jobs, and list or delete files and history of tables.
 */
public final class MaintenanceActions {
    /** Replies when the rows that were in memory are in files. */
    public static final Action<TableRequest, Done> FLUSH =
            Action.of("flush", TableRequest.class, Done.class);

    /** Replies when nothing is left to compact. */
    public static final Action<TableRequest, Done> COMPACT =
            Action.of("compact", TableRequest.class, Done.class);

    /** Replies when all files have sketches of their columns. */
    public static final Action<TableRequest, Done> ANALYZE =
            Action.of("analyze", TableRequest.class, Done.class);

    /** Replies when the job has ended or the wait is over. */
    public static final Action<RunJobRequest, JobStatus> RUN_JOB =
            Action.of("run-job", RunJobRequest.class, JobStatus.class);

    /** Fails with INVALID_ARGUMENT if the job has ended. */
    public static final Action<CancelJobRequest, JobStatus> CANCEL_JOB =
            Action.of("cancel-job", CancelJobRequest.class, JobStatus.class);

    public static final Action<Done, ListJobsReply> LIST_JOBS =
            Action.of("list-jobs", Done.class, ListJobsReply.class);

    public static final Action<TableRequest, ListPartitionsReply> LIST_PARTITIONS =
            Action.of("list-partitions", TableRequest.class, ListPartitionsReply.class);

    public static final Action<TableRequest, ListFilesReply> LIST_FILES =
            Action.of("list-files", TableRequest.class, ListFilesReply.class);

    public static final Action<TableRequest, TableHistoryReply> TABLE_HISTORY =
            Action.of("table-history", TableRequest.class, TableHistoryReply.class);

    /** Replies when compaction has dropped the expired history from all files. */
    public static final Action<ExpireHistoryRequest, Done> EXPIRE_HISTORY =
            Action.of("expire-history", ExpireHistoryRequest.class, Done.class);

    public static final Action<RemoveOrphanFilesRequest, RemoveOrphanFilesReply>
            REMOVE_ORPHAN_FILES =
                    Action.of(
                            "remove-orphan-files",
                            RemoveOrphanFilesRequest.class,
                            RemoveOrphanFilesReply.class);

    private MaintenanceActions() {}
}
