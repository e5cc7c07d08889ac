package io.stele.protocol.api.scan;

import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;

/**
 * The actions of connectors that plan and estimate scans, and read or write cached metadata of the
 * scanned files.
 */
public final class ScanActions {
    public static final Action<PlanScanRequest, ScanPlan> PLAN_SCAN =
            Action.framed("plan-scan", PlanScanRequest.class, ScanPlan.class);

    public static final Action<EstimateAggregationRequest, AggregationEstimate>
            ESTIMATE_AGGREGATION =
                    Action.framed(
                            "estimate-aggregation",
                            EstimateAggregationRequest.class,
                            AggregationEstimate.class);

    /** The reply is empty if the metadata is not in memory. */
    public static final Action<FileMetadataRequest, EncodedFileMetadata> FILE_METADATA =
            Action.framed("file-metadata", FileMetadataRequest.class, EncodedFileMetadata.class);

    /** The request has the metadata of a file that the caller wrote. */
    public static final Action<EncodedFileMetadata, Done> KEEP_FILE_METADATA =
            Action.framed("keep-file-metadata", EncodedFileMetadata.class, Done.class);

    private ScanActions() {}
}
