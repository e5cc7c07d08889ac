package io.stele.paimon.type;

import static java.util.Objects.requireNonNull;

import io.trino.spi.type.Type;
import org.apache.paimon.types.DataType;

/**
 * The values of a field as a file has them.
 *
 * @param file their type in the schema of the file, of nested fields those that are wanted
 * @param stored the type to decode them with
 * @param cast to the wanted type
 */
public record StoredField(DataType file, Type stored, BlockCast cast) {
    public StoredField {
        requireNonNull(file, "file is null");
        requireNonNull(stored, "stored is null");
        requireNonNull(cast, "cast is null");
    }
}
