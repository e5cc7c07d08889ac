package io.stele.flink.lookup;

import static java.util.Objects.requireNonNull;

import io.stele.flink.table.BoundTable;
import io.stele.protocol.schema.TableSchema;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.table.api.ValidationException;

/**
 * The description of lookups: the table and the fields of the key. Immutable, and serialized into
 * the job's tasks.
 *
 * @param keys for each field of a key row, its position among the declared fields; they include the
 *     primary key
 * @param maxRetries how often a failed lookup is retried
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LookupTarget(BoundTable table, int[] keys, int maxRetries) implements Serializable {
    public LookupTarget {
        requireNonNull(table, "table is null");
        keys = keys.clone();
        if (maxRetries < 0) {
            throw new ValidationException("Expected lookup retries >= 0, found " + maxRetries);
        }
    }

    /**
     * The lookups by certain fields.
     *
     * @param keys positions of the declared fields that the join compares
     * @throws ValidationException the fields do not include the whole primary key
     */
    public static LookupTarget of(BoundTable table, int[] keys, int maxRetries) {
        TableSchema schema = table.schema();
        List<Integer> found =
                Arrays.stream(keys).mapToObj(field -> table.columnIds().get(field)).toList();
        if (!schema.hasPrimaryKey() || !found.containsAll(schema.primaryKey())) {
            throw new ValidationException(
                    "Expected a lookup join on the whole primary key %s of table %s, found columns %s"
                            .formatted(
                                    names(schema, schema.primaryKey()),
                                    schema.qualifiedName(),
                                    names(schema, found)));
        }
        return new LookupTarget(table, keys, maxRetries);
    }

    private static String names(TableSchema schema, List<Integer> ids) {
        return schema.columns(ids).stream()
                .map(column -> column.name())
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
