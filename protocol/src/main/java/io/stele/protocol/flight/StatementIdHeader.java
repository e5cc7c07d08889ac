package io.stele.protocol.flight;

import io.grpc.Metadata;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The id of a statement in the headers of a call, {@code stele-statement-id}: a UUID that a client
 * chooses for a change of the catalog. A call that is repeated under the same id changes nothing a
 * second time, and has the answer of the first.
 */
public final class StatementIdHeader {
    private static final Metadata.Key<String> ID =
            Metadata.Key.of("stele-statement-id", Metadata.ASCII_STRING_MARSHALLER);

    private StatementIdHeader() {}

    public static void put(UUID id, Metadata headers) {
        headers.put(ID, id.toString());
    }

    /**
     * Reads it from the headers of a call.
     *
     * @throws SteleException INVALID_ARGUMENT if it is no UUID
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
