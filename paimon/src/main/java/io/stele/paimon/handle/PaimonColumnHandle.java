package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import java.util.List;

/**
 * Trino's handle of a column of a scan or write, or of a field inside a row column of a scan, by
 * Paimon's ids, as coordinator and workers exchange it.
 *
 * @param id Paimon's id of the column, which stays when the column is renamed
 * @param name its name in the schema of the scan, for a field with the names on the way to it
 * @param type of the column, or of the field
 * @param path Paimon's ids of the fields from the column to the field; empty: the whole column
 */
public record PaimonColumnHandle(int id, String name, Type type, List<Integer> path)
        implements ColumnHandle {
    public PaimonColumnHandle {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
        path = List.copyOf(requireNonNull(path, "path is null"));
    }

    /** A whole column. */
    public PaimonColumnHandle(int id, String name, Type type) {
        this(id, name, type, List.of());
    }

    /** Whether this is a column of the table, and no field inside one. */
    @JsonIgnore
    public boolean isWhole() {
        return path.isEmpty();
    }

    /**
     * The conditions on whole columns. Those on fields prune nothing, since neither manifests nor
     * readers of files know fields by these handles; Trino applies them to rows.
     */
    public static TupleDomain<PaimonColumnHandle> ofWholeColumns(
            TupleDomain<? extends ColumnHandle> conditions) {
        return conditions
                .transformKeys(PaimonColumnHandle.class::cast)
                .filter((column, domain) -> column.isWhole());
    }

    @Override
    public String toString() {
        return name + ":" + type;
    }
}
