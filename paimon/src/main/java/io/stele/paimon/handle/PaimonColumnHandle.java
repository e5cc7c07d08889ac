package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.Type;

/**
 * Trino's handle of a column of a scan or write, by Paimon's id, as coordinator and workers
 * exchange it.
 *
 * @param id Paimon's id of the field, which stays when the column is renamed
 * @param name its name in the schema of the scan
 */
public record PaimonColumnHandle(int id, String name, Type type) implements ColumnHandle {
    public PaimonColumnHandle {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
    }

    @Override
    public String toString() {
        return name + ":" + type;
    }
}
