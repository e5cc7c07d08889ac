package io.stele.sidecar.flight;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.charset.StandardCharsets;

/**
 * Requests of Flight SQL, which is not spoken here: commands and tickets that are messages of
 * Google's type Any. Stateless.
 */
final class FlightSql {
    /** The beginning of such a message's type. */
    private static final String TYPE = "type.googleapis.com/arrow.flight.protocol.sql.";

    /** The tag and the length of the type come before it. */
    private static final int TYPE_AT = 2;

    private FlightSql() {}

    /**
     * Refuses requests of Flight SQL with a message that names the supported protocol.
     *
     * @throws SteleException INVALID_ARGUMENT if the bytes are a request of it
     */
    static void refuse(byte[] request) {
        int length = Math.min(request.length, TYPE_AT + 128);
        String start = new String(request, 0, length, StandardCharsets.ISO_8859_1);
        if (start.startsWith(TYPE, TYPE_AT)) {
            String name = start.substring(TYPE_AT + TYPE.length()).replaceAll("[^A-Za-z].*", "");
            throw refused(name);
        }
    }

    private static SteleException refused(String what) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected a request of Stele's own Arrow Flight (a path of schema and table, or JSON as in docs/protocol.md), found %s of Flight SQL, which is not spoken here: SQL is for Trino"
                        .formatted(what));
    }
}
