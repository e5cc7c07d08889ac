package io.stele.sidecar.auth;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The users who may log in to the sidecar, each with a password verifier, read once from a file.
 * Immutable.
 */
public final class PasswordFile {
    private final Map<String, ScramVerifier> users;

    private PasswordFile(Map<String, ScramVerifier> users) {
        this.users = ImmutableMap.copyOf(users);
    }

    /**
     * Reads the users of a file with lines {@code
     * user:SCRAM-SHA-256$4096:salt$StoredKey:ServerKey}, as in PostgreSQL's pg_authid; empty lines
     * and lines that begin with # have no meaning.
     *
     * @throws IllegalArgumentException naming the line
     */
    public static PasswordFile read(Path file) {
        Map<String, ScramVerifier> users = new HashMap<>();
        int number = 0;
        try {
            for (String line : Files.readAllLines(file)) {
                number++;
                if (line.isBlank() || line.startsWith("#")) {
                    continue;
                }
                int colon = line.indexOf(':');
                Optional<ScramVerifier> verifier =
                        ScramVerifier.parse(line.substring(colon + 1).strip());
                if (colon <= 0 || verifier.isEmpty()) {
                    throw new IllegalArgumentException(
                            "stele.postgresql.users-file: expected user:SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey in line %s of %s, found another text"
                                    .formatted(number, file));
                }
                users.put(line.substring(0, colon).strip(), verifier.get());
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "stele.postgresql.users-file: expected a file of text, found " + e, e);
        }
        return new PasswordFile(users);
    }

    public Optional<ScramVerifier> find(String user) {
        return Optional.ofNullable(users.get(user));
    }
}
