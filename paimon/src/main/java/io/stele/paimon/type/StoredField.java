package io.stele.paimon.type;

import static java.util.Objects.requireNonNull;

import io.trino.spi.type.Type;
import org.apache.paimon.types.DataType;

/**
 * The types and the conversion with which a reader decodes one field's values of a file.
 *
 * @param file their type in the schema of the file, with only the wanted nested fields
 * @param stored the type to decode them with
 * @param cast the conversion to the wanted type
 */
public record StoredField(DataType file, Type stored, BlockCast cast) {
    public StoredField {
        requireNonNull(file, "file is null");
        requireNonNull(stored, "stored is null");
        requireNonNull(cast, "cast is null");
    }
}
