package io.stele.connector.metadata.system;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.status.ShardStatus;
import io.stele.protocol.api.status.StatusActions;
import io.stele.protocol.api.status.StatusReply;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;

/**
 * The system table {@code system.shards} of the shards that a sidecar owns, each with the totals of
 * all its tables.
 */
public final class NodeShardsTable extends MetadataTable {
    private final SteleSidecar sidecar;

    @Inject
    public NodeShardsTable(SteleSidecar sidecar) {
        super(
                new SchemaTableName("system", "shards"),
                ImmutableList.of(
                        new ColumnMetadata("sidecar", VARCHAR),
                        new ColumnMetadata("table_group_id", INTEGER),
                        new ColumnMetadata("shard", INTEGER),
                        new ColumnMetadata("applied_lsn", BIGINT),
                        new ColumnMetadata("memory_rows", BIGINT),
                        new ColumnMetadata("memory_bytes", BIGINT),
                        new ColumnMetadata("file_count", BIGINT),
                        new ColumnMetadata("total_size", BIGINT),
                        new ColumnMetadata("manifest_version", BIGINT)));
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
    }

    @Override
    void addRows(Rows rows) {
        StatusReply status = sidecar.call(StatusActions.STATUS, Done.DONE);
        for (ShardStatus shard : status.shards()) {
            rows.add(
                    utf8Slice(status.nodeId()),
                    (long) shard.shard().tableGroup(),
                    (long) shard.shard().index(),
                    shard.appliedLsn().value(),
                    shard.memoryRows(),
                    shard.memoryBytes(),
                    shard.fileCount(),
                    shard.fileBytes(),
                    shard.manifestVersion());
        }
    }
}
