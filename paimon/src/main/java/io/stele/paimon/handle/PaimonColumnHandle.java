package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.List;

/**
 * Trino's handle of a column of a scan or write, or of a field nested in one, by Paimon's ids, as
 * coordinator and workers exchange it.
 *
 * @param id Paimon's id of the column, which stays when the column is renamed
 * @param name its name in the schema of the scan
 * @param type of the column, or of the nested field
 * @param path Paimon's ids of the fields from the column to the nested field; empty: the column
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

    /** Whether this is a column, and not a field nested in one. */
    public boolean isWhole() {
        return path.isEmpty();
    }

    /** A field of this column, or of the field that this is. */
    public PaimonColumnHandle field(int fieldId, Type fieldType) {
        List<Integer> longer = new ArrayList<>(path);
        longer.add(fieldId);
        return new PaimonColumnHandle(id, name, fieldType, longer);
    }

    @Override
    public String toString() {
        return name + (path.isEmpty() ? "" : "#" + path) + ":" + type;
    }
}
