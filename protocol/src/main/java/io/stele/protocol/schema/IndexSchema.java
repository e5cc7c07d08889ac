package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.HashSet;
import java.util.List;

/**
 * The definition of a secondary index of a table, which is a row tablet in each shard that finds
 * primary keys by other columns.
 *
 * @param id identity in the table, {@code > 0}, never used again
 * @param name 1 to 128 characters, unique in the table
 * @param columns column ids in key order, at least one
 * @param unique whether no two rows may have the same non-null values
 * @param ready whether lookups may use it; false while earlier rows are being added to it
 */
public record IndexSchema(
        @JsonProperty("id") int id,
        @JsonProperty("name") String name,
        @JsonProperty("columns") List<Integer> columns,
        @JsonProperty("unique") boolean unique,
        @JsonProperty("ready") boolean ready) {
    public IndexSchema {
        check(id > 0, "an index id > 0", id);
        columns = List.copyOf(columns);
        check(
                !name.isEmpty() && name.length() <= ColumnSchema.MAX_NAME_LENGTH,
                "an index name of 1 to " + ColumnSchema.MAX_NAME_LENGTH + " characters",
                "'" + name + "'");
        check(!columns.isEmpty(), "columns of index '" + name + "'", "none");
        check(
                new HashSet<>(columns).size() == columns.size(),
                "columns of index '" + name + "' without repetition",
                columns);
    }

    /** This index as ready. */
    public IndexSchema built() {
        return new IndexSchema(id, name, columns, unique, true);
    }
}
