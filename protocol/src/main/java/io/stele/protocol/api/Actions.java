package io.stele.protocol.api;

import io.stele.protocol.api.catalog.AlterTableRequest;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.CreateViewRequest;
import io.stele.protocol.api.catalog.DropSchemaRequest;
import io.stele.protocol.api.catalog.ListSchemasReply;
import io.stele.protocol.api.catalog.ListTablesReply;
import io.stele.protocol.api.catalog.ListTablesRequest;
import io.stele.protocol.api.catalog.ListViewsReply;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataChangesRequest;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.RenameSchemaRequest;
import io.stele.protocol.api.catalog.RenameTableRequest;
import io.stele.protocol.api.catalog.RenameViewRequest;
import io.stele.protocol.api.catalog.SetCommentRequest;
import io.stele.protocol.api.catalog.SetDefaultRequest;
import io.stele.protocol.api.catalog.SetOptionsRequest;
import io.stele.protocol.api.catalog.SetRefreshRequest;
import io.stele.protocol.api.catalog.SetViewRequest;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.catalog.TableStatisticsRequest;
import io.stele.protocol.api.catalog.ViewRequest;
import io.stele.protocol.api.maintenance.CancelJobRequest;
import io.stele.protocol.api.maintenance.ExpireHistoryRequest;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.ListFilesReply;
import io.stele.protocol.api.maintenance.ListJobsReply;
import io.stele.protocol.api.maintenance.ListPartitionsReply;
import io.stele.protocol.api.maintenance.RemoveOrphanFilesReply;
import io.stele.protocol.api.maintenance.RemoveOrphanFilesRequest;
import io.stele.protocol.api.maintenance.RunJobRequest;
import io.stele.protocol.api.maintenance.TableHistoryReply;
import io.stele.protocol.api.scan.AggregationEstimate;
import io.stele.protocol.api.scan.EncodedFileMetadata;
import io.stele.protocol.api.scan.EstimateAggregationRequest;
import io.stele.protocol.api.scan.FileMetadataRequest;
import io.stele.protocol.api.scan.PlanScanRequest;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.OpenVersionReply;
import io.stele.protocol.api.snapshot.OpenVersionRequest;
import io.stele.protocol.api.snapshot.RenewLeasesReply;
import io.stele.protocol.api.snapshot.RenewLeasesRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.api.status.AggregateCacheReply;
import io.stele.protocol.api.status.DataCacheReply;
import io.stele.protocol.api.status.MemoryCachesReply;
import io.stele.protocol.api.status.SchedulingGroupsReply;
import io.stele.protocol.api.status.StatusReply;
import io.stele.protocol.api.write.AbortTransactionRequest;
import io.stele.protocol.api.write.BeginTransactionReply;
import io.stele.protocol.api.write.BeginTransactionRequest;
import io.stele.protocol.api.write.CommitTransactionReply;
import io.stele.protocol.api.write.CommitTransactionRequest;
import io.stele.protocol.api.write.DeletePartitionsRequest;
import io.stele.protocol.api.write.TransactionOutcomeRequest;

/**
 * Names of the Flight actions. The body of an action is the JSON of its request record, and its
 * single result the JSON of its reply record.
 */
public final class Actions {
    /** {@link CreateSchemaRequest} -> {@link Done}. */
    public static final String CREATE_SCHEMA = "create-schema";

    /** {@link DropSchemaRequest} -> {@link Done}. */
    public static final String DROP_SCHEMA = "drop-schema";

    /** {@link RenameSchemaRequest} -> {@link Done}. */
    public static final String RENAME_SCHEMA = "rename-schema";

    /** {@link Done} (or an empty body) -> {@link ListSchemasReply}. */
    public static final String LIST_SCHEMAS = "list-schemas";

    /** {@link CreateTableRequest} -> {@link TableDescription}. */
    public static final String CREATE_TABLE = "create-table";

    /** {@link TableRequest} -> {@link Done}. */
    public static final String DROP_TABLE = "drop-table";

    /** {@link TableRequest} -> {@link TableDescription} of the empty table, which has a new id. */
    public static final String TRUNCATE_TABLE = "truncate-table";

    /** {@link RenameTableRequest} -> {@link TableDescription}. */
    public static final String RENAME_TABLE = "rename-table";

    /** {@link ListTablesRequest} -> {@link ListTablesReply}. */
    public static final String LIST_TABLES = "list-tables";

    /** {@link TableRequest} -> {@link TableDescription}. */
    public static final String GET_TABLE = "get-table";

    /**
     * {@link TableRequest} -> {@link RelationReply}, with the table or view of the name, if there
     * is one.
     */
    public static final String GET_RELATION = "get-relation";

    /** {@link CreateViewRequest} -> {@link io.stele.protocol.schema.ViewSchema}. */
    public static final String CREATE_VIEW = "create-view";

    /** {@link ViewRequest} -> {@link Done}. */
    public static final String DROP_VIEW = "drop-view";

    /** {@link RenameViewRequest} -> {@link io.stele.protocol.schema.ViewSchema}. */
    public static final String RENAME_VIEW = "rename-view";

    /** {@link SetViewRequest} -> {@link io.stele.protocol.schema.ViewSchema}. */
    public static final String SET_VIEW = "set-view";

    /** {@link SetRefreshRequest} -> {@link io.stele.protocol.schema.ViewSchema}. */
    public static final String SET_REFRESH = "set-refresh";

    /** {@link ListTablesRequest} -> {@link ListViewsReply}. */
    public static final String LIST_VIEWS = "list-views";

    /** {@link SetCommentRequest} -> {@link TableDescription}. */
    public static final String SET_COMMENT = "set-comment";

    /** {@link SetDefaultRequest} -> {@link TableDescription}. */
    public static final String SET_DEFAULT = "set-default";

    /** {@link SetOptionsRequest} -> {@link TableDescription}. */
    public static final String SET_OPTIONS = "set-options";

    /** {@link AlterTableRequest} to {@link TableDescription}. */
    public static final String ALTER_TABLE = "alter-table";

    /** {@link OpenSnapshotRequest} -> {@link SnapshotReply}. */
    public static final String OPEN_SNAPSHOT = "open-snapshot";

    /** {@link OpenTableRequest} -> {@link OpenTableReply}. */
    public static final String OPEN_TABLE = "open-table";

    /** {@link OpenVersionRequest} -> {@link OpenVersionReply}. */
    public static final String OPEN_VERSION = "open-version";

    /** {@link RenewSnapshotRequest} -> {@link SnapshotReply}. */
    public static final String RENEW_SNAPSHOT = "renew-snapshot";

    /** {@link RenewLeasesRequest} -> {@link RenewLeasesReply}. */
    public static final String RENEW_LEASES = "renew-leases";

    /** {@link CloseSnapshotRequest} -> {@link Done}. */
    public static final String CLOSE_SNAPSHOT = "close-snapshot";

    /** {@link PlanScanRequest} -> {@link ScanPlan}. */
    public static final String PLAN_SCAN = "plan-scan";

    /** {@link EstimateAggregationRequest} -> {@link AggregationEstimate}. */
    public static final String ESTIMATE_AGGREGATION = "estimate-aggregation";

    /** {@link BeginTransactionRequest} -> {@link BeginTransactionReply}. */
    public static final String BEGIN_TRANSACTION = "begin-transaction";

    /** {@link CommitTransactionRequest} -> {@link CommitTransactionReply}. */
    public static final String COMMIT_TRANSACTION = "commit-transaction";

    /**
     * {@link TransactionOutcomeRequest} -> {@link CommitTransactionReply}, once the outcome is
     * decided.
     */
    public static final String TRANSACTION_OUTCOME = "transaction-outcome";

    /**
     * {@link AbortTransactionRequest} -> {@link Done}; also for transactions that ended or never
     * were.
     */
    public static final String ABORT_TRANSACTION = "abort-transaction";

    /** {@link DeletePartitionsRequest} -> {@link CommitTransactionReply}. */
    public static final String DELETE_PARTITIONS = "delete-partitions";

    /** {@link TableRequest} -> {@link ListPartitionsReply}. */
    public static final String LIST_PARTITIONS = "list-partitions";

    /** {@link TableRequest} -> {@link ListFilesReply}. */
    public static final String LIST_FILES = "list-files";

    /** {@link TableRequest} -> {@link Done}, when what was in memory lies in files. */
    public static final String FLUSH = "flush";

    /** {@link TableRequest} -> {@link Done}, when nothing is left to compact. */
    public static final String COMPACT = "compact";

    /** {@link TableRequest} -> {@link Done}, when all files have sketches of their columns. */
    public static final String ANALYZE = "analyze";

    /** {@link TableRequest} -> {@link TableHistoryReply}. */
    public static final String TABLE_HISTORY = "table-history";

    /**
     * {@link ExpireHistoryRequest} -> {@link Done}, when compaction has dropped the expired history
     * from all files.
     */
    public static final String EXPIRE_HISTORY = "expire-history";

    /** {@link RemoveOrphanFilesRequest} -> {@link RemoveOrphanFilesReply}. */
    public static final String REMOVE_ORPHAN_FILES = "remove-orphan-files";

    /** {@link RunJobRequest} -> {@link JobStatus}, when the job has ended or the wait is over. */
    public static final String RUN_JOB = "run-job";

    /** {@link CancelJobRequest} -> {@link JobStatus}; INVALID_ARGUMENT if it has ended. */
    public static final String CANCEL_JOB = "cancel-job";

    /** {@link Done} (or an empty body) -> {@link ListJobsReply}. */
    public static final String LIST_JOBS = "list-jobs";

    /** {@link TableStatisticsRequest} -> {@link TableStatistics}. */
    public static final String TABLE_STATISTICS = "table-statistics";

    /** {@link Done} (or an empty body) -> {@link StatusReply}. */
    public static final String STATUS = "status";

    /** {@link Done} (or an empty body) -> {@link SchedulingGroupsReply}. */
    public static final String SCHEDULING_GROUPS = "scheduling-groups";

    /** {@link Done} (or an empty body) -> {@link DataCacheReply}. */
    public static final String DATA_CACHE = "data-cache";

    /** {@link Done} (or an empty body) -> {@link AggregateCacheReply}. */
    public static final String AGGREGATE_CACHE = "fragment-cache";

    /** {@link Done} (or an empty body) -> {@link MemoryCachesReply}. */
    public static final String MEMORY_CACHES = "memory-caches";

    /** {@link FileMetadataRequest} -> {@link EncodedFileMetadata}, empty if it is not in memory. */
    public static final String FILE_METADATA = "file-metadata";

    /** {@link EncodedFileMetadata} of a file that the caller wrote -> {@link Done}. */
    public static final String KEEP_FILE_METADATA = "keep-file-metadata";

    /** {@link MetadataChangesRequest} -> {@link MetadataChanges}. */
    public static final String METADATA_CHANGES = "metadata-changes";

    /**
     * {@link MetadataChangesRequest} -> {@link MetadataChanges}, one result after the other until
     * the caller gives up: what changes, and at least one a second.
     */
    public static final String WATCH_METADATA = "watch-metadata";

    private Actions() {}
}
