package io.stele.flink.source;

import static java.util.Objects.requireNonNull;

import io.stele.flink.table.BoundTable;
import io.stele.flink.table.ChangeMetadata;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.predicate.ScanPredicate;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.flink.table.types.logical.RowType;

/**
 * The description of a scan: table, columns, predicate and limit. Immutable, and serialized into
 * the job's tasks.
 *
 * @param metadata the metadata columns that follow the declared columns
 * @param predicateJson rows that cannot match it may be skipped
 * @param limit most rows of a shard; negative: all
 * @param snapshotTtl lifetime of the snapshot without renewal
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ScanTarget(
        BoundTable table,
        List<ChangeMetadata> metadata,
        byte[] predicateJson,
        long limit,
        Duration snapshotTtl)
        implements Serializable {
    public ScanTarget {
        requireNonNull(table, "table is null");
        metadata = new ArrayList<>(metadata); // a list class that every Java version can serialize
        requireNonNull(predicateJson, "predicateJson is null");
        requireNonNull(snapshotTtl, "snapshotTtl is null");
    }

    public static ScanTarget of(
            BoundTable table,
            List<ChangeMetadata> metadata,
            ScanPredicate predicate,
            OptionalLong limit,
            Duration snapshotTtl) {
        return new ScanTarget(
                table, metadata, ApiJson.write(predicate), limit.orElse(-1), snapshotTtl);
    }

    RowType producedType() {
        return ChangeMetadata.append(table.declared(), metadata);
    }

    ScanPredicate predicate() {
        return ApiJson.read(predicateJson, ScanPredicate.class);
    }

    OptionalLong maxRows() {
        return limit < 0 ? OptionalLong.empty() : OptionalLong.of(limit);
    }
}
