package io.stele.sidecar.auth;

import static java.util.Objects.requireNonNull;

/**
 * A caller that has logged in. With the shared secret it may be of any name, and has all rights: it
 * is a client of the installation itself. Without it the name is that of a user of the password
 * file, who has shown its password, and access control applies.
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
