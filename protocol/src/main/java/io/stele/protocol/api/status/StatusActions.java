package io.stele.protocol.api.status;

import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;

/**
 * The actions that report the state of a sidecar: shards, scheduling groups, caches, reads and
 * statements.
 */
public final class StatusActions {
    public static final Action<Done, StatusReply> STATUS =
            Action.of("status", Done.class, StatusReply.class);

    public static final Action<Done, SchedulingGroupsReply> SCHEDULING_GROUPS =
            Action.of("scheduling-groups", Done.class, SchedulingGroupsReply.class);

    public static final Action<Done, DataCacheReply> DATA_CACHE =
            Action.of("data-cache", Done.class, DataCacheReply.class);

    public static final Action<Done, AggregateCacheReply> AGGREGATE_CACHE =
            Action.of("fragment-cache", Done.class, AggregateCacheReply.class);

    public static final Action<Done, MemoryCachesReply> MEMORY_CACHES =
            Action.of("memory-caches", Done.class, MemoryCachesReply.class);

    public static final Action<Done, StatementsReply> STATEMENTS =
            Action.of("statements", Done.class, StatementsReply.class);

    public static final Action<Done, RetrievalReply> RETRIEVAL =
            Action.of("retrieval", Done.class, RetrievalReply.class);

    private StatusActions() {}
}
