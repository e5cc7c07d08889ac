package io.stele.sidecar.auth;

import static java.util.Objects.requireNonNull;

/**
 * The identity of an authenticated caller of any port, by which access control decides. With the
 * shared secret, a caller may have any name, and has all rights, because it is a client of the
 * installation itself. Without the secret, it is a user of the password file who has proved the
 * password, and access control applies.
 */
public record AuthenticatedUser(String name, boolean hasSecret) {
    public AuthenticatedUser {
        requireNonNull(name, "name is null");
    }

    public static AuthenticatedUser withSecret(String name) {
        return new AuthenticatedUser(name, true);
    }

    public static AuthenticatedUser withPassword(String name) {
        return new AuthenticatedUser(name, false);
    }
}
