package io.stele.protocol.api.catalog;

import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;
import io.stele.protocol.schema.ViewSchema;

/** The actions on schemas, tables, views and their options. */
public final class CatalogActions {
    public static final Action<CreateSchemaRequest, Done> CREATE_SCHEMA =
            Action.of("create-schema", CreateSchemaRequest.class, Done.class);

    public static final Action<DropSchemaRequest, Done> DROP_SCHEMA =
            Action.of("drop-schema", DropSchemaRequest.class, Done.class);

    public static final Action<RenameSchemaRequest, Done> RENAME_SCHEMA =
            Action.of("rename-schema", RenameSchemaRequest.class, Done.class);

    public static final Action<Done, ListSchemasReply> LIST_SCHEMAS =
            Action.of("list-schemas", Done.class, ListSchemasReply.class);

    public static final Action<CreateTableRequest, TableDescription> CREATE_TABLE =
            Action.of("create-table", CreateTableRequest.class, TableDescription.class);

    public static final Action<TableRequest, Done> DROP_TABLE =
            Action.of("drop-table", TableRequest.class, Done.class);

    /** The reply describes the empty table, which has a new id. */
    public static final Action<TableRequest, TableDescription> TRUNCATE_TABLE =
            Action.of("truncate-table", TableRequest.class, TableDescription.class);

    public static final Action<RenameTableRequest, TableDescription> RENAME_TABLE =
            Action.of("rename-table", RenameTableRequest.class, TableDescription.class);

    public static final Action<ListTablesRequest, ListTablesReply> LIST_TABLES =
            Action.of("list-tables", ListTablesRequest.class, ListTablesReply.class);

    public static final Action<TableRequest, TableDescription> GET_TABLE =
            Action.of("get-table", TableRequest.class, TableDescription.class);

    /** The reply has the table or view of the name, if there is one. */
    public static final Action<TableRequest, RelationReply> GET_RELATION =
            Action.of("get-relation", TableRequest.class, RelationReply.class);

    public static final Action<CreateViewRequest, ViewSchema> CREATE_VIEW =
            Action.of("create-view", CreateViewRequest.class, ViewSchema.class);

    public static final Action<ViewRequest, Done> DROP_VIEW =
            Action.of("drop-view", ViewRequest.class, Done.class);

    public static final Action<RenameViewRequest, ViewSchema> RENAME_VIEW =
            Action.of("rename-view", RenameViewRequest.class, ViewSchema.class);

    public static final Action<SetViewRequest, ViewSchema> SET_VIEW =
            Action.of("set-view", SetViewRequest.class, ViewSchema.class);

    public static final Action<SetRefreshRequest, ViewSchema> SET_REFRESH =
            Action.of("set-refresh", SetRefreshRequest.class, ViewSchema.class);

    public static final Action<ListTablesRequest, ListViewsReply> LIST_VIEWS =
            Action.of("list-views", ListTablesRequest.class, ListViewsReply.class);

    public static final Action<SetCommentRequest, TableDescription> SET_COMMENT =
            Action.of("set-comment", SetCommentRequest.class, TableDescription.class);

    public static final Action<SetDefaultRequest, TableDescription> SET_DEFAULT =
            Action.of("set-default", SetDefaultRequest.class, TableDescription.class);

    public static final Action<SetOptionsRequest, TableDescription> SET_OPTIONS =
            Action.of("set-options", SetOptionsRequest.class, TableDescription.class);

    public static final Action<AlterTableRequest, TableDescription> ALTER_TABLE =
            Action.of("alter-table", AlterTableRequest.class, TableDescription.class);

    public static final Action<TableStatisticsRequest, TableStatistics> TABLE_STATISTICS =
            Action.of("table-statistics", TableStatisticsRequest.class, TableStatistics.class);

    public static final Action<MetadataChangesRequest, MetadataChanges> METADATA_CHANGES =
            Action.framed("metadata-changes", MetadataChangesRequest.class, MetadataChanges.class);

    /**
     * A stream of results until the caller cancels it: one for each change, and at least one a
     * second.
     */
    public static final Action<MetadataChangesRequest, MetadataChanges> WATCH_METADATA =
            Action.of("watch-metadata", MetadataChangesRequest.class, MetadataChanges.class);

    /** The address of the replying sidecar; its host is empty if the caller knows it. */
    public static final Action<Done, NodeAddress> NODE_ADDRESS =
            Action.framed("node-address", Done.class, NodeAddress.class);

    private CatalogActions() {}
}
