package io.stele.protocol.schema;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;

/** The JSON codec of table schemas, and the shared Jackson mapper for all JSON of Stele. */
public final class SchemaJson {
    private static final ObjectMapper MAPPER =
            JsonMapper.builder()
                    .addModule(new Jdk8Module())
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .build();

    private SchemaJson() {}

    /**
     * The shared mapper: an empty Optional is an absent value or null, and unknown fields of newer
     * peers are ignored.
     */
    public static ObjectMapper mapper() {
        return MAPPER;
    }

    public static String toJson(TableSchema schema) {
        try {
            return MAPPER.writeValueAsString(schema);
        } catch (JsonProcessingException e) {
            throw new SteleException(
                    ErrorCode.INTERNAL, "Cannot write the schema of " + schema.qualifiedName(), e);
        }
    }

    /** Parses a schema; throws INVALID_ARGUMENT if it is malformed. */
    public static TableSchema fromJson(String json) {
        try {
            TableSchema schema = MAPPER.readValue(json, TableSchema.class);
            if (schema == null) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected the JSON of a table schema, found null");
            }
            return schema;
        } catch (JsonProcessingException e) {
            if (e.getCause() instanceof SteleException cause) {
                throw cause;
            }
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected the JSON of a table schema, found: " + e.getMessage(),
                    e);
        }
    }
}
