package io.stele.sidecar.postgresql.session;

import static java.util.Objects.requireNonNullElse;

import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The open portals of a session, by name; the unnamed one is "". Confined to one thread. */
final class Portals {
    private static final int MAX_PORTALS = 1_000;
    private static final long MAX_PARAMETER_BYTES = 64 << 20;

    private final Map<String, Portal> byName = new HashMap<>();
    private final Map<String, Long> parameterBytes = new HashMap<>();
    private long totalBytes;

    /**
     * Makes room for a portal before its parameters are read: an unnamed one is replaced.
     *
     * @param values of the parameters
     * @throws PostgresException the name is in use, or there are too many
     */
    void reserve(String name, List<Optional<byte[]>> values) {
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
        long bytes = totalBytes + bytes(values);
        // What one message may bring, one portal may have
        if (!byName.isEmpty() && bytes > MAX_PARAMETER_BYTES) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected parameters of open portals of at most %s bytes in all, found %s"
                            .formatted(MAX_PARAMETER_BYTES, bytes));
        }
    }

    private static long bytes(List<Optional<byte[]>> values) {
        return values.stream().mapToLong(value -> value.map(bytes -> bytes.length).orElse(0)).sum();
    }

    void put(String name, Portal portal, List<Optional<byte[]>> values) {
        long bytes = bytes(values);
        byName.put(name, portal);
        parameterBytes.put(name, bytes);
        totalBytes += bytes;
    }

    /**
     * The portal of a name.
     *
     * @throws PostgresException INVALID_CURSOR_NAME
     */
    Portal get(String name) {
        Portal portal = byName.get(name);
        if (portal == null) {
            throw new PostgresException(
                    SqlState.INVALID_CURSOR_NAME,
                    "Expected a portal, found none of the name '%s'".formatted(name));
        }
        return portal;
    }

    /** Closes a portal; one that is not there is no error. */
    void close(String name) {
        Portal portal = byName.remove(name);
        if (portal != null) {
            totalBytes -= requireNonNullElse(parameterBytes.remove(name), 0L);
            portal.close();
        }
    }

    void closeAll() {
        RuntimeException failure = null;
        for (String name : new ArrayList<>(byName.keySet())) {
            try {
                close(name);
            } catch (RuntimeException e) {
                failure = e; // the others are to be closed
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
