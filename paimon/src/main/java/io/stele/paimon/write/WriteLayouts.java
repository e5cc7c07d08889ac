package io.stele.paimon.write;

import io.stele.paimon.handle.PaimonPartitioningHandle;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorTableLayout;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.types.DataField;

/**
 * The choice, when a statement is planned, of how written rows are distributed over writers. All
 * rows of a bucket have one writer, since sequence numbers and compactions of a bucket have one
 * author in a commit. Stateless.
 */
public final class WriteLayouts {
    /** The least number of writers over which the buckets of all partitions are spread. */
    private static final int WRITERS_OF_PARTITIONS = 64;

    private WriteLayouts() {}

    /** The layout of inserted rows; empty: any writer accepts any row. */
    public static Optional<ConnectorTableLayout> insert(TableSchema schema) {
        List<String> partition = lowerCase(schema.partitionKeys());
        if (isUnaware(schema)) {
            // By partition, for fewer files, where the engine finds it worth its while
            return partition.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new ConnectorTableLayout(partition));
        }
        return Optional.of(
                new ConnectorTableLayout(
                        partitioning(schema),
                        lowerCase(columns(schema).stream().map(DataField::name).toList()),
                        false));
    }

    /**
     * The partitioning of changed rows by their row id, which gives a bucket the same writer as
     * {@link #insert}.
     */
    public static Optional<ConnectorPartitioningHandle> update(
            TableSchema schema, List<DataField> rowId) {
        if (schema.primaryKeys().isEmpty()) {
            return Optional.empty();
        }
        List<Integer> ids = rowId.stream().map(DataField::id).toList();
        return Optional.of(
                partitioning(schema)
                        .ofRowId(
                                columns(schema).stream()
                                        .map(column -> ids.indexOf(column.id()))
                                        .toList()));
    }

    private static boolean isUnaware(TableSchema schema) {
        return schema.primaryKeys().isEmpty() && buckets(schema) < 0;
    }

    private static int buckets(TableSchema schema) {
        return new CoreOptions(schema.options()).bucket();
    }

    private static PaimonPartitioningHandle partitioning(TableSchema schema) {
        int buckets = buckets(schema);
        List<DataField> columns = columns(schema);
        List<String> names = columns.stream().map(DataField::name).toList();
        int writers = buckets;
        if (buckets < 0) {
            writers = 1;
        } else if (!schema.partitionKeys().isEmpty()) {
            writers = Math.max(buckets, WRITERS_OF_PARTITIONS);
        }
        return new PaimonPartitioningHandle(
                columns.stream().map(column -> column.type().asSQLString()).toList(),
                schema.bucketKeys().stream().map(names::indexOf).toList(),
                schema.partitionKeys().stream().map(names::indexOf).toList(),
                Math.max(buckets, 0),
                new CoreOptions(schema.options()).bucketFunctionType().toString(),
                writers,
                List.of());
    }

    /** The bucket key and the partition columns. */
    private static List<DataField> columns(TableSchema schema) {
        Set<String> names = new LinkedHashSet<>(schema.bucketKeys());
        names.addAll(schema.partitionKeys());
        List<DataField> columns = new ArrayList<>();
        for (String name : names) {
            columns.add(schema.nameToFieldMap().get(name));
        }
        return columns;
    }

    private static List<String> lowerCase(List<String> names) {
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }
}
