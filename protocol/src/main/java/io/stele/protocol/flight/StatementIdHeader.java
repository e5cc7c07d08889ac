package io.stele.protocol.flight;

import io.grpc.Metadata;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A codec of the statement id in the gRPC header {@code stele-statement-id} of a Flight call. A
 * client chooses this UUID for a change of the catalog. A repeated call with the id of an earlier
 * one has no effect, and returns the earlier reply.
 */
public final class StatementIdHeader {
    private static final Metadata.Key<String> ID =
            Metadata.Key.of("stele-statement-id", Metadata.ASCII_STRING_MARSHALLER);

    private StatementIdHeader() {}

    public static void put(UUID id, Metadata headers) {
        headers.put(ID, id.toString());
    }

    /**
     * Reads the id from the headers of a call.
     *
     * @throws SteleException INVALID_ARGUMENT if the header is no UUID
     */
    public static Optional<UUID> get(Metadata headers) {
        @Nullable String value = headers.get(ID);
        if (value == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(UUID.fromString(value));
        } catch (IllegalArgumentException malformed) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a UUID in header %s, found '%s'".formatted(ID.name(), value),
                    malformed);
        }
    }
}
