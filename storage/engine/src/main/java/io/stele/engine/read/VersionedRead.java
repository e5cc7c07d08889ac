package io.stele.engine.read;

import io.stele.engine.node.Shards;
import io.stele.engine.row.TableVersions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.TableSchema;

/**
 * The conversion of a shard's rows to the schema version of a reader, on the scan and lookup paths.
 * Rows of an earlier version are mapped. A reader of an earlier version than the shard's is
 * refused, because widened values and dropped columns cannot be restored.
 */
final class VersionedRead {
    private VersionedRead() {}

    /** The view of a snapshot on a table in a shard that is served, with the rows of a version. */
    static TableView view(
            LeasedSnapshot snapshot,
            Shards shards,
            TableSchema schema,
            ShardId id,
            int schemaVersion) {
        shards.shard(id).checkServing();
        return view(snapshot, shards.shard(id).table(schema.id()), id, schemaVersion);
    }

    /** The view of a snapshot on a table in a shard, with the rows of a version. */
    static TableView view(
            LeasedSnapshot snapshot, TableShard table, ShardId shard, int schemaVersion) {
        TableView seen =
                snapshot.view(
                        table.schema().id(), shard, () -> view(table, table.view(), schemaVersion));
        return view(table, seen, schemaVersion);
    }

    /** The present view on a table in a shard, with the rows of a version. */
    static TableView view(TableShard table, int schemaVersion) {
        return view(table, table.view(), schemaVersion);
    }

    private static TableView view(TableShard table, TableView view, int schemaVersion) {
        return view.versions().schemaVersion() == schemaVersion
                ? view
                : view.as(later(table, view.versions(), schemaVersion));
    }

    /** The mapping from the rows of a view to those of the reader's schema. */
    static RowMapping mapping(TableShard table, TableVersions from, TableSchema wanted) {
        return from.schemaVersion() == wanted.schemaVersion()
                ? from.mapping(from.schemaVersion())
                : later(table, from, wanted.schemaVersion()).mapping(from.schemaVersion());
    }

    private static TableVersions later(TableShard table, TableVersions present, int wanted) {
        TableVersions newest = table.expected();
        if (present.schemaVersion() > wanted || newest.schemaVersion() < wanted) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected a read of schema version %d of table %s, found version %d: its columns were changed; begin again"
                            .formatted(
                                    newest.schemaVersion(),
                                    newest.schema().qualifiedName(),
                                    wanted));
        }
        // A reader that looked while the change before the last one was not in effect yet
        return newest.schemaVersion() == wanted ? newest : newest.earlier(wanted);
    }
}
