package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.Type;

/**
 * A column of a scan.
 *
 * @param id Paimon's id of the field, which stays when the column is renamed
 * @param name as the schema of the scan has it
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
