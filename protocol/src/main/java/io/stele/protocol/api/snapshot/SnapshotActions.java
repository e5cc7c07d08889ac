package io.stele.protocol.api.snapshot;

import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;

/** The actions that open, renew and close snapshots. */
public final class SnapshotActions {
    public static final Action<OpenSnapshotRequest, SnapshotReply> OPEN_SNAPSHOT =
            Action.framed("open-snapshot", OpenSnapshotRequest.class, SnapshotReply.class);

    public static final Action<OpenTableRequest, OpenTableReply> OPEN_TABLE =
            Action.framed("open-table", OpenTableRequest.class, OpenTableReply.class);

    public static final Action<OpenVersionRequest, OpenVersionReply> OPEN_VERSION =
            Action.framed("open-version", OpenVersionRequest.class, OpenVersionReply.class);

    public static final Action<RenewSnapshotRequest, SnapshotReply> RENEW_SNAPSHOT =
            Action.framed("renew-snapshot", RenewSnapshotRequest.class, SnapshotReply.class);

    public static final Action<RenewLeasesRequest, RenewLeasesReply> RENEW_LEASES =
            Action.framed("renew-leases", RenewLeasesRequest.class, RenewLeasesReply.class);

    public static final Action<CloseSnapshotRequest, Done> CLOSE_SNAPSHOT =
            Action.framed("close-snapshot", CloseSnapshotRequest.class, Done.class);

    private SnapshotActions() {}
}
