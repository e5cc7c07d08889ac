package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The open portals of a PostgreSQL session, by name, with limits on their count and parameter
 * bytes; the unnamed portal is "". Confined to one thread.
 */
final class Portals {
    private static final int MAX_PORTALS = 1_000;
    private static final long MAX_PARAMETER_BYTES = 64 << 20;

    private final Map<String, Open> byName = new HashMap<>();
    private long totalBytes;

    private record Open(Portal portal, long parameterBytes) {}

    /**
     * Makes room for a portal before its parameters are read: an unnamed one is replaced.
     *
     * @param values of the parameters
     * @return their bytes
     * @throws PostgresException if the name is in use, or if there are too many portals
     */
    long reserve(String name, List<Optional<byte[]>> values) {
        if (name.isEmpty()) {
            close(name);
        } else if (byName.containsKey(name)) {
            throw new PostgresException(
                    SqlState.DUPLICATE_CURSOR,
                    "Expected a new name of a portal, found '%s' again".formatted(name));
        }
        if (byName.size() >= MAX_PORTALS) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected at most %s open portals, found more".formatted(MAX_PORTALS));
        }
        long bytes =
                values.stream()
                        .mapToLong(value -> value.map(present -> present.length).orElse(0))
                        .sum();
        // A single portal may have all parameters that one message can contain
        if (!byName.isEmpty() && totalBytes + bytes > MAX_PARAMETER_BYTES) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected parameters of open portals of at most %s bytes in all, found %s"
                            .formatted(MAX_PARAMETER_BYTES, totalBytes + bytes));
        }
        return bytes;
    }

    /**
     * @param parameterBytes what {@link #reserve} has returned
     */
    void put(String name, Portal portal, long parameterBytes) {
        byName.put(name, new Open(portal, parameterBytes));
        totalBytes += parameterBytes;
    }

    /**
     * Returns the portal of a name.
     *
     * @throws PostgresException INVALID_CURSOR_NAME
     */
    Portal get(String name) {
        Open open = byName.get(name);
        if (open == null) {
            throw new PostgresException(
                    SqlState.INVALID_CURSOR_NAME,
                    "Expected a portal, found none of the name '%s'".formatted(name));
        }
        return open.portal();
    }

    /** Closes a portal, if it exists. */
    void close(String name) {
        Open open = byName.remove(name);
        if (open != null) {
            totalBytes -= open.parameterBytes();
            open.portal().close();
        }
    }

    void closeAll() {
        RuntimeException failure = null;
        for (String name : new ArrayList<>(byName.keySet())) {
            try {
                close(name);
            } catch (RuntimeException e) {
                failure = e; // the other portals must still be closed
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
