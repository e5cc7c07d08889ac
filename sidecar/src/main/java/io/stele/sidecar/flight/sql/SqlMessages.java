package io.stele.sidecar.flight.sql;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.flight.sql.impl.FlightSql;

/**
 * A parser and encoder of Flight SQL's protobuf messages, which are packed in Google's type Any.
 * Stateless.
 */
public final class SqlMessages {
    private static final String PREFIX = "type.googleapis.com/";
    private static final String TYPE = PREFIX + "arrow.flight.protocol.sql.";

    /** The tag and the length of the type come before it. */
    private static final int TYPE_AT = 2;

    private static final int MAX_TYPE_LENGTH = 128;
    private static final Map<String, Parser<? extends Message>> PARSERS = new HashMap<>();

    static {
        for (Message message :
                List.of(
                        FlightSql.CommandStatementQuery.getDefaultInstance(),
                        FlightSql.CommandStatementUpdate.getDefaultInstance(),
                        FlightSql.CommandStatementIngest.getDefaultInstance(),
                        FlightSql.CommandPreparedStatementQuery.getDefaultInstance(),
                        FlightSql.CommandPreparedStatementUpdate.getDefaultInstance(),
                        FlightSql.TicketStatementQuery.getDefaultInstance(),
                        FlightSql.CommandGetCatalogs.getDefaultInstance(),
                        FlightSql.CommandGetDbSchemas.getDefaultInstance(),
                        FlightSql.CommandGetTables.getDefaultInstance(),
                        FlightSql.CommandGetTableTypes.getDefaultInstance(),
                        FlightSql.CommandGetPrimaryKeys.getDefaultInstance(),
                        FlightSql.CommandGetExportedKeys.getDefaultInstance(),
                        FlightSql.CommandGetImportedKeys.getDefaultInstance(),
                        FlightSql.CommandGetCrossReference.getDefaultInstance(),
                        FlightSql.CommandGetXdbcTypeInfo.getDefaultInstance(),
                        FlightSql.CommandGetSqlInfo.getDefaultInstance(),
                        FlightSql.ActionCreatePreparedStatementRequest.getDefaultInstance(),
                        FlightSql.ActionClosePreparedStatementRequest.getDefaultInstance(),
                        FlightSql.ActionBeginTransactionRequest.getDefaultInstance(),
                        FlightSql.ActionEndTransactionRequest.getDefaultInstance(),
                        FlightSql.ActionBeginSavepointRequest.getDefaultInstance(),
                        FlightSql.ActionEndSavepointRequest.getDefaultInstance(),
                        FlightSql.ActionCancelQueryRequest.getDefaultInstance())) {
            PARSERS.put(message.getDescriptorForType().getFullName(), message.getParserForType());
        }
    }

    private SqlMessages() {}

    /** Whether bytes are a message of Flight SQL, rather than a request of Stele's own. */
    public static boolean isSql(byte[] request) {
        int length = Math.min(request.length, TYPE_AT + MAX_TYPE_LENGTH);
        return new String(request, 0, length, StandardCharsets.ISO_8859_1)
                .startsWith(TYPE, TYPE_AT);
    }

    /**
     * The message in bytes for which {@link #isSql} holds.
     *
     * @throws SteleException INVALID_ARGUMENT if it is not known here, or no message
     */
    static Message parse(byte[] request) {
        try {
            Any any = Any.parseFrom(request);
            String name =
                    any.getTypeUrl().startsWith(PREFIX)
                            ? any.getTypeUrl().substring(PREFIX.length())
                            : "";
            Optional<Parser<? extends Message>> parser = Optional.ofNullable(PARSERS.get(name));
            if (parser.isEmpty()) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected a command of Flight SQL that Stele has, found '%s'"
                                .formatted(any.getTypeUrl()));
            }
            return parser.get().parseFrom(any.getValue());
        } catch (InvalidProtocolBufferException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a message of Flight SQL, found bytes that are none: "
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * The message of a type in the bytes.
     *
     * @throws SteleException INVALID_ARGUMENT if it is of another type
     */
    static <T extends Message> T parse(byte[] request, Class<T> type) {
        Message message = parse(request);
        if (!type.isInstance(message)) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a %s, found a %s"
                            .formatted(
                                    type.getSimpleName(),
                                    message.getDescriptorForType().getName()));
        }
        return type.cast(message);
    }

    static byte[] pack(Message message) {
        return Any.pack(message).toByteArray();
    }
}
