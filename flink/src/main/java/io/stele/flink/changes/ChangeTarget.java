package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.flink.option.FeedOptions;
import io.stele.flink.table.BoundTable;
import io.stele.flink.table.ChangeMetadata;
import io.stele.protocol.schema.TableSchema;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.RowType;

/**
 * The description of a change source: table, metadata columns and options. Immutable, and
 * serialized into the job's tasks.
 *
 * @param metadata the metadata columns that follow the declared columns
 */
public record ChangeTarget(BoundTable table, List<ChangeMetadata> metadata, FeedOptions options)
        implements Serializable {
    public ChangeTarget {
        requireNonNull(table, "table is null");
        metadata = new ArrayList<>(metadata); // a list class that every Java version can serialize
        requireNonNull(options, "options is null");
        TableSchema schema = table.schema();
        boolean needsKey = !options.beforeImages() && !options.insertOnly();
        if (needsKey && !table.columnIds().containsAll(schema.primaryKey())) {
            throw new ValidationException(
                    "Expected the primary key columns of table %s in its changes without the rows before updates, found %s"
                            .formatted(schema.qualifiedName(), table.declared().getFieldNames()));
        }
    }

    RowType producedType() {
        return ChangeMetadata.append(table.declared(), metadata);
    }
}
