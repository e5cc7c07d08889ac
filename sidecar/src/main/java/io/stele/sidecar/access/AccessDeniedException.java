package io.stele.sidecar.access;

import java.io.Serial;
import java.util.Set;
import java.util.stream.Collectors;

/** The refusal of a request for which a user has no privilege. Nothing was done. */
public final class AccessDeniedException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;

    private AccessDeniedException(String message) {
        super(message);
    }

    static AccessDeniedException ofTable(
            String user,
            String schema,
            String table,
            Set<Privilege> required,
            Set<Privilege> held) {
        return new AccessDeniedException(
                "Permission denied for table %s.%s: expected the privileges %s of user '%s', found %s"
                        .formatted(schema, table, listed(required), user, listed(held)));
    }

    static AccessDeniedException ofSecretOnly(String user, String what) {
        return new AccessDeniedException(
                "Permission denied for %s: expected a login with the shared secret, found user '%s' of the password file"
                        .formatted(what, user));
    }

    private static String listed(Set<Privilege> privileges) {
        return privileges.isEmpty()
                ? "none"
                : privileges.stream().sorted().map(Enum::name).collect(Collectors.joining(", "));
    }
}
